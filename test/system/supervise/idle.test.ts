import type { RunConfig } from '@portolan/run-spec';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ask, httpServer, openSession, stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

const SOON = { withinMs: 40_000 };
const IDLE = { stop_after_idle: '1s' };

interface Row {
  readonly title: string;
  readonly fields: Partial<RunConfig>;
  /** Number of containers while one session is in use. */
  readonly containers: number;
}

/** Servers of each kind, with an isolated network and without one. */
const ROWS: readonly Row[] = [
  { title: 'a process for each session', fields: stdioServer(), containers: 2 },
  { title: 'a shared process', fields: { ...stdioServer(), stdio_sessions: 'shared' }, containers: 2 },
  { title: 'a server that speaks HTTP', fields: httpServer(), containers: 2 },
  {
    title: 'a shared process without isolation',
    fields: { ...stdioServer(), stdio_sessions: 'shared', isolate_network: false },
    containers: 1,
  },
];

describe('superviseWorkload with stop_after_idle', function () {
  this.timeout(240_000);
  const bench = useWorkloadBench();

  const isIdle = async (name: string): Promise<void> => {
    await eventually(async () => expect(await bench.statusOf(name)).to.equal('idle'), SOON);
  };

  for (const { title, fields, containers } of ROWS) {
    it(`superviseWorkload › stops an idle server and continues its session with the next request: ${title}`, async () => {
      const workload = await bench.supervise(await bench.config({ ...fields, ...IDLE }));
      const { url } = await workload.ready;
      const { name } = workload.config;
      expect(await bench.statusOf(name)).to.equal('running');
      const session = await openSession(url);
      const stream = await openStream(url, session);
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
      const before = await ask(url, 'where', {}, session);
      await isIdle(name);
      expect(await bench.containers(name)).to.deep.equal([]);
      expect(stream.isOpen()).to.equal(true);
      const [first, second] = await Promise.all([
        ask(url, 'where', {}, session),
        ask(url, 'tools/list', {}, session),
      ]);
      expect(second).to.deep.equal({ tools: [] });
      expect(first).to.have.property('host');
      if (fields.isolate_network === false) expect(first).not.to.deep.equal(before);
      expect(await bench.statusOf(name)).to.equal('running');
      expect(await bench.containers(name)).to.have.length(containers);
      expect(stream.isOpen()).to.equal(true);
      await isIdle(name);
      expect(await bench.containers(name)).to.deep.equal([]);
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.statusOf(name)).to.equal('stopped');
      stream.close();
    });
  }
});

/** The standing stream of a session, as far as a test needs to know. */
async function openStream(url: string, session: string): Promise<{ isOpen: () => boolean; close: () => void }> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session },
    signal: stop.signal,
  });
  expect(response.status).to.equal(200);
  let isOpen = true;
  void (async () => {
    try {
      for await (const _ of response.body ?? []);
    } catch {
      // The test has closed the stream.
    }
    isOpen = false;
  })();
  return { isOpen: () => isOpen, close: () => stop.abort() };
}

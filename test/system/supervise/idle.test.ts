import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ContainerEngine, Runtime } from '@portolan/plugin-api';
import { eventually, runtimeOfEngine } from '@portolan/plugin-testing';
import { FORMULA, lockDefinitions, writeLockFile } from '@portolan/lock';
import type { RunConfig } from '@portolan/run-spec';
import { describeWorkload } from '@portolan/workload/operations';
import { expect } from 'chai';
import { ask, httpServer, openSession, stdioServer } from './support/mini-servers.ts';
import { runMember, toolServer } from './support/tool-servers.ts';
import { useWorkloadBench, type WorkloadBench } from './support/workload-bench.ts';

const SOON = { withinMs: 40_000 };
const IDLE = { stop_after_idle: '1s' };
/** Frequent health checks, which neither keep a server running nor start it. */
const CHECKS = { PORTOLAN_HEALTH_CHECK_INTERVAL: '100ms', PORTOLAN_HEALTH_CHECK_PING_TIMEOUT: '2s' };
const SHARED = { ...stdioServer(), stdio_sessions: 'shared' };
/** More idle stops than failures end a workload. */
const MANY_STOPS = 6;

interface Row {
  readonly title: string;
  readonly fields: Partial<RunConfig>;
  /** Number of containers while one session is in use. */
  readonly containers: number;
}

/** Servers of each kind, with an isolated network and without one. */
const ROWS: readonly Row[] = [
  { title: 'a process for each session', fields: stdioServer(), containers: 2 },
  { title: 'a shared process', fields: SHARED, containers: 2 },
  { title: 'a server that speaks HTTP', fields: httpServer(), containers: 2 },
  {
    title: 'a shared process without isolation',
    fields: { ...SHARED, isolate_network: false },
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
      const environment = { ...bench.environment, ...CHECKS };
      const config = await bench.config({ ...fields, ...IDLE });
      const workload = await bench.supervise(config, { context: { environment } });
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

  for (const { title, fields } of ROWS.slice(0, 3)) {
    it(`superviseWorkload › fails the waiting requests when an idle server cannot be started: ${title}`, async () => {
      const engine = new FaultyEngine(bench.runtime);
      const openRuntime = (): Promise<Runtime> => Promise.resolve(runtimeOfEngine(engine.runtime));
      const kinds = { ...bench.context().kinds, openRuntime };
      const workload = await bench.supervise(await bench.config({ ...fields, ...IDLE }), {
        context: { kinds },
      });
      const { url } = await workload.ready;
      const { name } = workload.config;
      const session = await openSession(url);
      await isIdle(name);
      engine.fails = true;
      const calls = [ask(url, 'tools/list', {}, session), ask(url, 'where', {}, session)];
      expect(await Promise.all(calls)).to.deep.equal([503, 503]);
      await eventually(async () => expect(await bench.containers(name)).to.deep.equal([]), SOON);
      await isIdle(name);
      engine.fails = false;
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(name)).to.deep.equal([]);
    });

    it(`superviseWorkload › stops while an idle server starts: ${title}`, async () => {
      const workload = await bench.supervise(await bench.config({ ...fields, ...IDLE }));
      const { url } = await workload.ready;
      const { name } = workload.config;
      const session = await openSession(url);
      await isIdle(name);
      const call = ask(url, 'tools/list', {}, session).catch(() => 'cut off');
      await eventually(async () => expect(await bench.containers(name)).not.to.deep.equal([]), SOON);
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await call).not.to.deep.equal({});
      expect(await bench.containers(name)).to.deep.equal([]);
      expect(await bench.statusOf(name)).to.equal('stopped');
      expect(await bench.runtimeFiles()).to.deep.equal([]);
    });
  }

  for (const { title, fields, containers } of ROWS.slice(0, 3)) {
    it(`superviseWorkload › starts a lazy server with the first request: ${title}`, async () => {
      const engine = new FaultyEngine(bench.runtime);
      const openRuntime = (): Promise<Runtime> => Promise.resolve(runtimeOfEngine(engine.runtime));
      const kinds = { ...bench.context().kinds, openRuntime };
      const config = await bench.config({ ...fields, start: 'lazy' });
      const workload = await bench.supervise(config, { context: { kinds } });
      const { url } = await workload.ready;
      const { name } = config;
      expect(await bench.statusOf(name)).to.equal('idle');
      expect(await bench.containers(name)).to.deep.equal([]);
      expect((await describeWorkload(name, bench.context())).health).to.equal('healthy');
      engine.fails = true;
      expect(await openSession(url).catch((error: Error) => error.message)).to.match(/50[23]/);
      expect(await bench.containers(name)).to.deep.equal([]);
      engine.fails = false;
      const session = await openSession(url);
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
      expect(await bench.containers(name)).to.have.length(containers);
      expect(await bench.statusOf(name)).to.equal('running');
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(name)).to.deep.equal([]);
    });
  }

  for (const transport of ['stdio', 'streamable-http'] as const) {
    it(`superviseWorkload › responds to lists from the lock before a lazy server runs: ${transport}`, async () => {
      const config = await bench.config({
        ...toolServer(transport, 'locked', ['say', 'new']),
        start: 'lazy',
      });
      const { name } = config;
      await lock(bench, config);
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      const session = await openSession(url);
      const stream = await openStream(url, session);
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [SAY] });
      expect(await bench.containers(name)).to.deep.equal([]);
      expect(await bench.statusOf(name)).to.equal('idle');
      const called = await callTool(url, 'say', session);
      expect(called.text).to.include('locked say');
      await eventually(async () => expect(await bench.statusOf(name)).to.equal('running'), SOON);
      // The comparison with the lock announces a change, in the open stream or in that of a request.
      await eventually(
        async () => expect(called.text + stream.text()).to.include('notifications/tools/list_changed'),
        SOON,
      );
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [SAY] });
      const refused = await callTool(url, 'new', session);
      expect(refused.text).to.include('-32602');
      stream.close();
      await workload.stop();
      expect(await bench.containers(name)).to.deep.equal([]);
    });
  }

  it('superviseWorkload › ends the session when the server has another revision than the lock', async () => {
    const config = await bench.config({ ...toolServer('stdio', 'locked', ['say']), start: 'lazy' });
    await lock(bench, config, '2025-03-26');
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    const session = await openSession(url);
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [SAY] });
    expect((await callTool(url, 'say', session)).status).to.equal(404);
    const next = await openSession(url);
    expect((await callTool(url, 'say', next)).text).to.include('locked say');
    await workload.stop();
  });

  it('superviseWorkload › does not count stops of an idle server as failures', async () => {
    const workload = await bench.supervise(
      await bench.config({ ...SHARED, ...IDLE, isolate_network: false }),
    );
    const { url } = await workload.ready;
    const { name } = workload.config;
    const session = await openSession(url);
    for (let stops = 0; stops < MANY_STOPS; stops += 1) {
      await isIdle(name);
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
    }
    await workload.stop();
  });

  it('superviseWorkload › ends when another program removes the container of a server that started again', async () => {
    const workload = await bench.supervise(await bench.config({ ...httpServer(), ...IDLE }));
    const { url } = await workload.ready;
    const { name } = workload.config;
    const session = await openSession(url);
    await isIdle(name);
    await ask(url, 'tools/list', {}, session);
    const [container] = await bench.runtime.listContainers({
      'portolan.dev/name': name,
      'portolan.dev/role': 'server',
    });
    await bench.runtime.removeContainer(container?.id ?? '');
    expect(await workload.ended).to.deep.equal({ how: 'removed', what: 'container' });
    expect(await bench.containers(name)).to.deep.equal([]);
  });

  it('superviseWorkload › restarts an HTTP server that crashed, and keeps its workload', async () => {
    const workload = await bench.supervise(await bench.config({ ...httpServer(), stop_after_idle: '10m' }));
    const { url } = await workload.ready;
    const session = await openSession(url);
    await ask(url, 'exit', { code: 1 }, session);
    await eventually(async () => {
      const next = await openSession(url);
      expect(await ask(url, 'tools/list', {}, next)).to.deep.equal({ tools: [] });
    }, SOON);
    await workload.stop();
  });

  for (const transport of ['stdio', 'streamable-http'] as const) {
    it(`superviseWorkload › stops an idle member of a virtual server alone, and starts it again: ${transport}`, async () => {
      const labels = { container_labels: bench.labels };
      const config = await bench.config({
        image: '',
        transport: 'streamable-http',
        permission_profile: undefined,
        isolate_network: false,
        members: {
          idle: runMember({ ...toolServer(transport, 'idle', ['say']), ...labels, ...IDLE }),
          busy: runMember({ ...toolServer('stdio', 'busy', ['say']), ...labels, stdio_sessions: 'shared' }),
        },
      });
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const call = async (name: string): Promise<string> => {
        const { content } = await client.callTool({ name, arguments: {} });
        return (content as readonly { readonly text: string }[])[0]?.text ?? '';
      };
      await eventually(async () => expect((await client.listTools()).tools).to.have.length(2), SOON);
      expect(await call('idle_say')).to.match(/^idle say /);
      const ofMember = async (): Promise<readonly string[]> =>
        (await bench.containers(config.name)).filter((name) => name.includes('member-idle'));
      await eventually(async () => expect(await ofMember()).to.deep.equal([]), SOON);
      expect(await call('busy_say')).to.match(/^busy say /);
      const member = async (): Promise<string | undefined> =>
        (await bench.context().store.find(config.name))?.state?.members['idle']?.status;
      await eventually(async () => expect(await member()).to.equal('idle'), SOON);
      expect(await call('idle_say')).to.match(/^idle say /);
      expect(await ofMember()).not.to.deep.equal([]);
      await client.close();
      await workload.stop();
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }
});

/** An engine that creates no containers while `fails` is true. */
class FaultyEngine {
  fails = false;
  readonly runtime: ContainerEngine;

  constructor(runtime: ContainerEngine) {
    this.runtime = new Proxy(runtime, {
      get: (target, key) => {
        if (key === 'createContainer' && this.fails)
          return () => Promise.reject(new Error('no space left on device'));
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }
}

const SAY = { name: 'say', inputSchema: { type: 'object' } };

/** Writes the lock file of a workload whose server has the tool `say`. */
async function lock(bench: WorkloadBench, config: RunConfig, revision = '2025-06-18'): Promise<void> {
  const { locked } = lockDefinitions({
    facts: { source: config.image },
    current: {
      server: { name: 'tools', version: '1', revisions: [revision], capabilities: { tools: {} } },
      tools: JSON.stringify([SAY]),
      prompts: '[]',
      templates: '[]',
    },
    approval: { date: '2026-11-30' },
  });
  if (locked === undefined) throw new Error('the definitions have a fault');
  const file = path.join(bench.context().directories.policies, config.name, 'portolan.lock');
  await mkdir(path.dirname(file), { recursive: true });
  const workloads = new Map([[config.name, locked.workload]]);
  await writeLockFile(file, { lock: { version: 1, formula: FORMULA, workloads }, contents: locked.contents });
}

/** Calls a tool. The response may be a stream, since the server may send notifications before. */
async function callTool(
  url: string,
  name: string,
  session: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name, arguments: {} } }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'Mcp-Session-Id': session,
    },
  });
  return { status: response.status, text: await response.text() };
}

/** The standing stream of a session, as far as a test needs to know. */
async function openStream(
  url: string,
  session: string,
): Promise<{ isOpen: () => boolean; text: () => string; close: () => void }> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session },
    signal: stop.signal,
  });
  expect(response.status).to.equal(200);
  let isOpen = true;
  let text = '';
  void (async () => {
    try {
      for await (const part of response.body ?? []) text += Buffer.from(part).toString();
    } catch {
      // The test has closed the stream.
    }
    isOpen = false;
  })();
  return { isOpen: () => isOpen, text: () => text, close: () => stop.abort() };
}

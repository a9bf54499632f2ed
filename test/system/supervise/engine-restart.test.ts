import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import type { RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { SecondEngine } from '../../../plugins/runtime-docker/test/support/second-engine.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ask, httpServer, openSession, stdioServer } from './support/mini-servers.ts';
import { NODE_IMAGE, WorkloadBench } from './support/workload-bench.ts';

const run = promisify(execFile);
const SOON = { withinMs: 40_000 };

interface Case {
  readonly title: string;
  readonly fields: Partial<RunConfig>;
  /** Whether the same container still serves afterwards. */
  readonly goesOn: boolean;
}

const CASES: readonly Case[] = [
  { title: 'a server that speaks HTTP', fields: httpServer(), goesOn: true },
  { title: 'a shared server', fields: { ...stdioServer(), stdio_sessions: 'shared' }, goesOn: true },
  { title: 'a process for each session', fields: stdioServer(), goesOn: false },
];

// toolhive 2117, toolhive 2270: after a restart of the engine, the workload serves clients again.
describe('superviseWorkload when the engine restarts', function () {
  this.timeout(180_000);
  let folder = '';
  let engine: SecondEngine | undefined;
  let bench: WorkloadBench | undefined;

  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can start a second engine');
    await run('dockerd', ['--version']).catch(() => skipSuite(this, 'no dockerd to start a second engine'));
    await run('docker', ['image', 'inspect', NODE_IMAGE]).catch(() =>
      skipSuite(this, 'no engine with the test image; scripts/container-env.sh up'),
    );
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-engine-'));
    engine = new SecondEngine(folder);
    await engine.start();
    const archive = path.join(folder, 'image.tar');
    await run('docker', ['save', '--output', archive, NODE_IMAGE]);
    await run('docker', ['--host', `unix://${engine.path}`, 'load', '--input', archive]);
    bench = new WorkloadBench({ host: `unix://${engine.path}` });
    await bench.open();
  });

  after(async () => {
    try {
      await bench?.close();
    } finally {
      await engine?.close();
      if (folder !== '') await rm(folder, { recursive: true, force: true });
    }
  });

  const restarts = CASES.flatMap((one) => [true, false].map((livesOn) => ({ ...one, livesOn })));
  for (const { title, fields, goesOn, livesOn } of restarts) {
    it(`serves ${title} again when containers ${livesOn ? 'live on' : 'end with it'}`, async () => {
      if (bench === undefined || engine === undefined) throw new Error('there is no second engine');
      await engine.stop('SIGTERM');
      await engine.start({ livesOn });
      const config = await bench.config(fields);
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      const isHttp = config.transport !== 'stdio';
      const before = isHttp ? '' : await openSession(url);
      const was = await ask(url, 'where', {}, before);
      // A killed engine leaves the containers running, whatever the requests.
      await engine.stop(livesOn ? 'SIGKILL' : 'SIGTERM');
      await engine.start({ livesOn });
      const now = await eventually(async () => {
        const session = isHttp ? '' : await openSession(url);
        const answer = await ask(url, 'where', {}, session);
        expect(answer).to.have.property('pid');
        return answer;
      }, SOON);
      if (goesOn && livesOn) expect(now).to.deep.equal(was);
      await eventually(async () => expect(await bench?.statusOf(config.name)).to.equal('running'), SOON);
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { eventually } from '@portolan/plugin-testing';
import { logFilesOf, ownProcess, type SupervisorReport } from '@portolan/workload';
import { describeWorkload } from '@portolan/workload/operations';
import { type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { isAlive } from '../../../packages/workload/src/state/process-identity.ts';
import {
  type LaunchedSupervisor,
  type LaunchOptions,
  SupervisorProcess,
} from '../../../packages/workload/src/supervisor/supervisor-process.ts';
import { ask, httpServer, openSession, stdioServer } from './support/mini-servers.ts';
import { orderOf, useWorkloadBench } from './support/workload-bench.ts';
import { skipTest } from '../../support/skip-suite.ts';

const SUPERVISOR = path.join(import.meta.dirname, '../../../packages/cli/bin/portolan-supervisor.js');
const SOON = { withinMs: 40_000 };

describe('SupervisorProcess', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();
  const launched: LaunchedSupervisor[] = [];

  after(async () => {
    for (const { process: one } of launched.splice(0)) {
      if (await isAlive(one)) process.kill(one.pid, 'SIGKILL');
    }
  });

  async function launch(
    config: RunConfig,
    {
      program = [process.execPath, SUPERVISOR],
      ...change
    }: Partial<LaunchOptions & { program: string[] }> = {},
  ): Promise<LaunchedSupervisor & { readonly reports: readonly SupervisorReport[] }> {
    const reports: SupervisorReport[] = [];
    const environment = { ...process.env, ...bench.environment };
    const supervisor = await new SupervisorProcess({ program, environment }).launch(
      orderOf(config, { secrets: { API_KEY: 'hidden-value-1234' } }),
      {
        logFile: logFilesOf(config.name, bench.context().directories).supervisor,
        onReport: (report) => reports.push(report),
        signal: new AbortController().signal,
        ...change,
      },
    );
    launched.push(supervisor);
    return { ...supervisor, reports };
  }

  async function claim(fields: Partial<RunConfig>): Promise<RunConfig> {
    const config = await bench.config(fields);
    await bench.context().store.claim(config, await ownProcess());
    return config;
  }

  async function stop({ process: one }: LaunchedSupervisor): Promise<void> {
    process.kill(one.pid, 'SIGTERM');
    await eventually(async () => expect(await isAlive(one)).to.equal(false), SOON);
  }

  it('starts a supervisor that survives its parent, and stops cleanly', async () => {
    const config = await claim(stdioServer());
    const supervisor = await launch(config);
    const { url, instance } = await supervisor.ready;
    const state = await bench.context().store.getState(config.name);
    expect(state).to.deep.include({ status: 'running', url, instance, supervisor: supervisor.process });
    const session = await openSession(url);
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
    await stop(supervisor);
    expect(await bench.containers(config.name)).to.deep.equal([]);
    expect(await bench.statusOf(config.name)).to.equal('stopped');
    expect(await bench.runtimeFiles()).to.deep.equal([]);
    const steps = supervisor.reports.flatMap((one) => (one.report === 'step' ? [one.step] : []));
    expect(steps).to.deep.equal(['gateway', 'container', 'proxy', 'server']);
  });

  for (const { title, fields, isSame } of [
    { title: 'a server that speaks HTTP', fields: httpServer(), isSame: true },
    {
      title: 'a server that is not isolated',
      fields: { ...httpServer(), isolate_network: false },
      isSame: true,
    },
    { title: 'a shared server', fields: { ...stdioServer(), stdio_sessions: 'shared' }, isSame: true },
    { title: 'a process for each session, started again', fields: stdioServer(), isSame: false },
  ]) {
    it(`takes over from a killed supervisor: ${title}`, async () => {
      const config = await claim(fields);
      const first = await launch(config);
      const { url, instance } = await first.ready;
      const before = await bench.runtime.listContainers({ 'portolan.dev/name': config.name });
      process.kill(first.process.pid, 'SIGKILL');
      await eventually(async () => expect(await isAlive(first.process)).to.equal(false), SOON);
      const second = await launch(config);
      const again = await second.ready;
      expect(again.url).to.equal(url);
      expect(again.instance).not.to.equal(instance);
      const session = config.transport === 'stdio' ? await openSession(url) : '';
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
      const after = await bench.runtime.listContainers({ 'portolan.dev/name': config.name });
      const ids = (all: typeof before): readonly string[] => all.map(({ id }) => id).toSorted();
      if (isSame) expect(ids(after)).to.deep.equal(ids(before));
      else expect(ids(after).filter((id) => ids(before).includes(id))).to.deep.equal([]);
      await stop(second);
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }

  it('SupervisorProcess › starts the server again after a supervisor was killed while its server was idle', async () => {
    const config = await claim({ ...httpServer(), stop_after_idle: '1s' });
    const first = await launch(config);
    await first.ready;
    await eventually(async () => expect(await bench.statusOf(config.name)).to.equal('idle'), SOON);
    process.kill(first.process.pid, 'SIGKILL');
    await eventually(async () => expect(await isAlive(first.process)).to.equal(false), SOON);
    const { status } = await describeWorkload(config.name, bench.context());
    expect(status).to.equal('unhealthy');
    const second = await launch(config);
    const { url } = await second.ready;
    const session = await openSession(url);
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
    await stop(second);
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  it('SupervisorProcess › needs at most 80 MB while its server is idle', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    const config = await claim({ ...stdioServer(), stop_after_idle: '1s' });
    const supervisor = await launch(config);
    const { url } = await supervisor.ready;
    const session = await openSession(url);
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
    await eventually(async () => expect(await bench.statusOf(config.name)).to.equal('idle'), SOON);
    // Private memory: several supervisors share the program and libraries of Node.js.
    const rollup = await readFile(`/proc/${supervisor.process.pid}/smaps_rollup`, 'utf8');
    const megabytes = Number(/Private_Dirty: +(\d+)/.exec(rollup)?.[1]) / 1000;
    expect(megabytes).to.be.within(1, 80);
    await stop(supervisor);
  });

  it('reports why a start failed, after the cleanup', async () => {
    const config = await claim(httpServer('console.error("no key given"); process.exit(3);'));
    const supervisor = await launch(config);
    const error = await supervisor.ready.catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_SERVER_ENDED' });
    expect(supervisor.reports.at(-1)).to.deep.include({ report: 'failed', lastLines: ['no key given'] });
    expect(await isAlive(supervisor.process)).to.equal(false);
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  it('ends the supervisor on an abort, and waits for its cleanup', async () => {
    const config = await claim(httpServer('setTimeout(() => undefined, 60_000);'));
    const abort = new AbortController();
    const reason = new Error('enough');
    const supervisor = await launch(config, {
      signal: abort.signal,
      onReport: (one) => {
        if (one.report === 'step' && one.step === 'container') abort.abort(reason);
      },
    });
    expect(await supervisor.ready.catch((error: unknown) => error)).to.equal(reason);
    expect(await isAlive(supervisor.process)).to.equal(false);
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  it('reports a supervisor that ends without a report, with the end of its log', async () => {
    const config = await claim(stdioServer());
    const script = 'process.once("message", () => { console.error("no sails"); process.exit(4); })';
    const program = [process.execPath, '-e', script];
    const supervisor = await launch(config, { program });
    const error = await supervisor.ready.catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_SUPERVISOR_ENDED' });
    expect(String(error)).to.contain('status 4').and.to.contain('no sails');
  });

  it('waits for requests of a killed supervisor that the engine still handles', async () => {
    const config = await claim(stdioServer());
    const kill = 'process.once("message", () => process.kill(process.pid, "SIGKILL"))';
    const supervisor = await launch(config, { program: [process.execPath, '-e', kill] });
    await eventually(async () => expect(await isAlive(supervisor.process)).to.equal(false), SOON);
    let isMade = false;
    const making = setTimeout(() => (isMade = true), 300); // Stands for a container that is being created.
    const error = await supervisor.ready.catch((reason: unknown) => reason);
    clearTimeout(making);
    expect(error).to.include({ code: 'ERR_SUPERVISOR_ENDED' });
    expect(String(error)).to.contain('SIGKILL');
    expect(isMade).to.equal(true);
  });

  it('reports a program that cannot be started', async () => {
    const config = await claim(stdioServer());
    const error = await launch(config, { program: ['/no/such/program'] }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_START_FAILED' });
  });

  it('the supervisor process exits without an order from its parent', async () => {
    const child = spawn(process.execPath, [SUPERVISOR], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.disconnect();
    expect(await once(child, 'exit')).to.deep.equal([1, null]);
    const alone = spawn(process.execPath, [SUPERVISOR], { stdio: 'ignore' });
    expect(await once(alone, 'exit')).to.deep.equal([1, null]);
  });

  it('keeps secrets out of command line, variables and log', async () => {
    const config = await claim(httpServer());
    const supervisor = await launch(config);
    await supervisor.ready;
    const of = async (file: string): Promise<string> =>
      await readFile(`/proc/${supervisor.process.pid}/${file}`, 'utf8');
    if (process.platform === 'linux') {
      expect(`${await of('cmdline')}${await of('environ')}`).not.to.contain('hidden-value');
    }
    await stop(supervisor);
    const log = await readFile(logFilesOf(config.name, bench.context().directories).supervisor, 'utf8');
    expect(log).not.to.contain('hidden-value');
  });
});

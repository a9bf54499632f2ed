import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTestContext, engineOf, eventually } from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { expect } from 'chai';
import { SecondEngine } from '../../../../plugins/runtime-docker/test/support/second-engine.ts';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import { WorkloadUser } from '../../../support/workload-user.ts';
import { FaultStage } from './support/fault-stage.ts';
import { overHttp, overStdio } from './support/faulty-servers.ts';

const run = promisify(execFile);
const NODE_IMAGE = 'portolan-test/node';
const DOCKER = { memoryMegabytes: 256, cpus: 2, processes: 64, openFiles: 1024, stopGrace: '10s' };
const SOON = { withinMs: 30_000 };

describe('workloads when the engine restarts', function () {
  this.timeout(120_000);
  const stage = new FaultStage();
  let engine: SecondEngine;
  let folder: string;

  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can start a second engine');
    await run('dockerd', ['--version']).catch(() => skipSuite(this, 'no dockerd to start a second engine'));
    await run('docker', ['image', 'inspect', NODE_IMAGE]).catch(() =>
      skipSuite(this, 'no engine with the test image; scripts/container-env.sh up'),
    );
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-engine-'));
    engine = new SecondEngine(folder);
    await engine.start();
    const host = `unix://${engine.path}`;
    await loadImage();
    const runtime = engineOf(await dockerRuntime.create({ ...DOCKER, host }, createTestContext()));
    await stage.openAt(await WorkloadUser.at(runtime, { DOCKER_HOST: host }));
  });
  after(async () => {
    if (folder === undefined) return;
    try {
      await stage.close();
    } finally {
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    await engine.stop('SIGTERM');
    await engine.start();
    await stage.clear();
  });

  async function loadImage(): Promise<void> {
    await run('sh', ['-c', `docker save ${NODE_IMAGE} | docker -H unix://${engine.path} load`]);
  }

  async function expectServed(url: string): Promise<void> {
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
  }

  /** Runs two workloads: one with a process for each client, and one with a container for all. */
  async function runTwo(): Promise<{ readonly names: readonly string[]; readonly urls: readonly string[] }> {
    const names = [stage.name(), stage.name()];
    const [one = '', other = ''] = names;
    const urls = await Promise.all([stage.runs(one, ...overStdio()), stage.runs(other, ...overHttp())]);
    return { names, urls };
  }

  async function expectStatuses(...expected: readonly string[]): Promise<void> {
    const statuses = async (): Promise<readonly string[]> =>
      (await stage.user.list()).map(({ status }) => status);
    await eventually(async () => expect(await statuses()).to.deep.equal(expected), SOON);
  }

  for (const livesOn of [true, false]) {
    it(`serve again after the restart, with containers that ${livesOn ? 'live on' : 'end with it'}`, async () => {
      await engine.stop('SIGTERM');
      await engine.start({ livesOn });
      const { names, urls } = await runTwo();
      await engine.stop('SIGTERM');
      const without = await stage.begin(['list', '--all', '--format', 'json']).finished;
      expect(without.status, without.stderr).to.equal(0);
      expect(without.stdout).to.contain(names[0]).and.to.contain(names[1]);
      await engine.start();
      for (const url of urls) await eventually(() => expectServed(url), SOON);
      await expectStatuses('running', 'running');
      await stage.user.removeAll(...names);
    });
  }

  it('keep their settings and are stopped with a reason when the engine has lost its data', async () => {
    const shared = stage.name();
    const over = stage.name();
    const urls = [
      await stage.runs(shared, '--stdio-sessions', 'shared', ...overStdio()),
      await stage.runs(over, ...overHttp()),
    ];
    const configs = await Promise.all([shared, over].map((name) => stage.user.done('export', name, '-')));
    await engine.loseData();
    await engine.start();
    await expectStatuses('stopped', 'stopped');
    for (const name of [shared, over]) {
      const listed = await stage.listed(name);
      expect(listed?.['status_context']).to.contain('its container was removed by another program');
    }
    expect(
      await Promise.all([shared, over].map((name) => stage.user.done('export', name, '-'))),
    ).to.deep.equal(configs);
    await loadImage();
    await stage.remakeBase();
    await stage.user.done('start', shared, over);
    for (const url of urls) await expectServed(url);
    await stage.user.removeAll(shared, over);
  });

  for (const { title, leave, comeBack } of [
    {
      title: 'is gone',
      leave: () => engine.stop('SIGTERM'),
      comeBack: () => engine.start(),
    },
    {
      title: 'does not respond',
      leave: async () => engine.freeze(),
      comeBack: async () => engine.thaw(),
    },
  ]) {
    it(`are unhealthy within 10 s when the engine ${title}, refuse calls at once, and recover`, async () => {
      await engine.stop('SIGTERM');
      await engine.start({ livesOn: false });
      const names = [stage.name(), stage.name(), stage.name()];
      const [own = '', shared = '', over = ''] = names;
      const urls = [
        await stage.runs(own, ...overStdio()),
        await stage.runs(shared, '--stdio-sessions', 'shared', ...overStdio()),
        await stage.runs(over, ...overHttp()),
      ];
      const sessions = await Promise.all(urls.map((url) => openSession(url)));
      await leave();
      const begun = performance.now();
      await eventually(
        async () => {
          for (const url of urls) expect((await fetch(new URL('/health', url))).status).to.equal(503);
        },
        { withinMs: 10_000 },
      );
      expect(performance.now() - begun).to.be.below(10_000);
      for (const name of names) {
        const listed = await stage.listed(name);
        expect(listed).to.include({ status: 'unhealthy', status_context: 'the engine does not respond' });
      }
      for (const [index, url] of urls.slice(0, 2).entries()) {
        const asked = performance.now();
        expect(await ask(url, 'tools/list', {}, sessions[index])).to.equal(503);
        expect(performance.now() - asked).to.be.below(1000);
      }
      // A container that speaks HTTP and survives continues to serve.
      const asked = performance.now();
      const response = await ask(urls[2] ?? '', 'tools/list', {}, sessions[2]);
      expect([502, 503, 'served']).to.include(typeof response === 'number' ? response : 'served');
      expect(performance.now() - asked).to.be.below(1000);
      await comeBack();
      for (const url of urls) await eventually(() => expectServed(url), SOON);
      await expectStatuses('running', 'running', 'running');
      await stage.user.removeAll(...names);
    });
  }

  it('can be removed while the engine is down; the command reports its containers and removes them later', async () => {
    const name = stage.name();
    await stage.runs(name, ...overHttp());
    process.kill(await stage.supervisorOf(name), 'SIGKILL');
    await engine.stop('SIGTERM');
    const removed = await stage.begin(['rm', name]).finished;
    expect(removed.status, removed.stderr).to.equal(0);
    expect(removed.stderr).to.contain('may remain');
    await engine.start();
    expect(await stage.listed(name)).to.include({ status: 'unknown' });
    await stage.user.removeAll(name);
    expect(await stage.user.list()).to.deep.equal([]);
  });

  it('doctor › finds and removes the containers of a stopped workload after an outage of over 20 s', async () => {
    await engine.stop('SIGTERM');
    await engine.start({ livesOn: true });
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    await openSession(url);
    await stage.seen(name, 'session');
    await engine.stop('SIGTERM');
    const begun = performance.now();
    const stopped = await stage.begin(['stop', name]).finished;
    expect(stopped.status, stopped.stderr).to.equal(0);
    await delay(Math.max(0, 25_000 - (performance.now() - begun)));
    await engine.start({ livesOn: true });
    expect(await stage.listed(name)).to.include({ status: 'stopped' });
    const left = (await stage.containers(name)).map(({ role }) => role);
    expect(left).to.include('session').and.to.include('gateway');
    const doctor = await stage.begin(['doctor']).finished;
    expect(doctor.status).to.equal(1);
    for (const role of left)
      expect(doctor.stdout).to.match(
        new RegExp(`Container \\S*${name}\\S* belongs to a workload that was removed`),
        role,
      );
    await stage.begin(['doctor', '--fix']).finished;
    expect(await stage.containers(name)).to.deep.equal([]);
    await stage.user.removeAll(name);
  });

  it('start again by `start --all` after a restart of the host', async () => {
    const { names, urls } = await runTwo();
    const stopped = stage.name();
    await stage.runs(stopped, ...overStdio());
    await stage.user.done('stop', stopped);
    for (const name of names) process.kill(await stage.supervisorOf(name), 'SIGKILL');
    await engine.cutPower();
    await rm(path.join(stage.user.root, 'run/portolan'), { recursive: true });
    await engine.start();
    await expectStatuses('unhealthy', 'unhealthy', 'stopped');
    const started = await stage.user.done('start', '--all');
    for (const url of urls) expect(started).to.contain(url);
    for (const url of urls) await expectServed(url);
    await stage.user.removeAll(...names, stopped);
  });
});

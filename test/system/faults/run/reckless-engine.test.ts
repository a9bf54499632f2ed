import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { createTestContext, engineOf, eventually } from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  MISCHIEFS,
  type Mischief,
  RecklessEngine,
} from '../../../../plugins/runtime-docker/test/support/reckless-engine.ts';
import { limitMs, trials } from '../../../support/soak.ts';
import { WorkloadUser } from '../../../support/workload-user.ts';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { FaultStage } from './support/fault-stage.ts';
import { overHttp, overStdio } from './support/faulty-servers.ts';

const DOCKER = { memoryMegabytes: 256, cpus: 2, processes: 64, openFiles: 1024, stopGrace: '10s' };
const KINDS = [
  overStdio(),
  ['--stdio-sessions', 'shared', ...overStdio()],
  overHttp(),
  ['--isolate-network=false', ...overHttp()],
];
/** A container has a minute to be started again. */
const SOON = { withinMs: 60_000 };

/** Actions on a workload while the engine has faults. */
const ACTS = ['ask', 'kill', 'kill supervisor', 'list', 'stop', 'start', 'restart', 'run', 'rm'] as const;

interface Step {
  readonly act: (typeof ACTS)[number];
  /** The affected requests. */
  readonly at: number;
  /** Faults of engine requests during the test, repeated. */
  readonly mischiefs: readonly (Mischief | undefined)[];
  /** Duration of the engine's faults afterwards, in milliseconds. */
  readonly lastsMs: number;
}

const mischief = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...MISCHIEFS) },
);
const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...ACTS),
  at: fc.nat(KINDS.length - 1),
  mischiefs: fc.array(mischief, { minLength: 5, maxLength: 12 }),
  lastsMs: fc.constantFrom(0, 500, 4000),
});

interface Workload {
  readonly name: string;
  readonly url: string;
  isRemoved: boolean;
}

describe('workloads on an engine that loses requests and responses', function () {
  this.timeout(limitMs(240_000));
  const stage = new FaultStage();
  let folder: string;
  let engine: RecklessEngine | undefined;

  before(async function () {
    const user = await WorkloadUser.open(this);
    const { address } = await user.runtime.describe();
    await user.close();
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-reckless-'));
    engine = new RecklessEngine(path.join(folder, 'engine.sock'), address.replace('unix://', ''));
    await engine.open();
    // The checks use their own connection to the engine.
    const runtime = engineOf(await dockerRuntime.create(DOCKER, createTestContext()));
    await stage.openAt(await WorkloadUser.at(runtime, { DOCKER_HOST: `unix://${engine.path}` }));
  });
  after(async function () {
    this.timeout(120_000);
    if (engine === undefined) return;
    try {
      await stage.close();
    } finally {
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('recover or have the state that the last command set; none disappears, and rm leaves nothing', async () => {
    const life = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), live);
    await fc.assert(
      life.afterEach(async () => {
        engine?.calm();
        await stage.clear();
      }),
      { ...trials({ short: 1, long: 40 }), endOnFailure: true },
    );
    expect(engine?.harmed).to.be.greaterThan(0);
  });

  async function live(steps: readonly Step[]): Promise<void> {
    const workloads = await Promise.all(KINDS.map(runOne));
    for (const { act, at, mischiefs, lastsMs } of steps) {
      let drawn = 0;
      engine?.goWild(() => mischiefs[drawn++ % mischiefs.length]);
      await happen(act, workloads[at]);
      await pass(lastsMs);
      engine?.calm();
    }
    const kept = workloads.filter(({ isRemoved }) => !isRemoved);
    const listed = await stage.user.list();
    expect(listed.map(({ name }) => name)).to.include.members(kept.map(({ name }) => name));
    for (const { name, url } of kept) {
      const status = listed.find((one) => one.name === name)?.status ?? '';
      if (!['running', 'starting'].includes(status)) await stage.user.done('start', name);
      await eventually(() => expectServed(url), SOON);
      await eventually(async () => expect(await stage.listed(name)).to.include({ status: 'running' }), SOON);
    }
    const left = (await stage.user.list()).map(({ name }) => name);
    await stage.user.done('rm', ...left);
    await eventually(() => stage.user.expectNoTraces(), SOON);
  }

  async function runOne(words: readonly string[]): Promise<Workload> {
    const name = stage.name();
    return { name, url: await stage.runs(name, ...words), isRemoved: false };
  }

  async function happen(act: Step['act'], workload: Workload | undefined): Promise<void> {
    if (act === 'run') return void (await command(...stage.words(stage.name(), ...overStdio())));
    if (act === 'list') return void (await command('list', '--all'));
    if (workload === undefined || workload.isRemoved) return;
    const { name, url } = workload;
    switch (act) {
      case 'ask':
        // The result does not depend on the responses in between.
        await expectServed(url).catch(() => undefined);
        return;
      case 'kill':
        return await killContainers(name);
      case 'kill supervisor':
        return await killSupervisor(name);
      case 'rm':
        workload.isRemoved = (await command('rm', name)) === 0;
        return;
      case 'stop':
      case 'start':
      case 'restart':
        await command(act, name);
        return;
      default:
        act satisfies never;
    }
  }

  /** Runs a command and returns its exit status. The command may fail with a proper message. */
  async function command(...args: readonly string[]): Promise<number> {
    const { status, signal, stderr } = await stage.begin(args).finished;
    expect(signal, args.join(' ')).to.equal(undefined);
    expect(stderr).not.to.match(/^ {4}at /m);
    if (status !== 0) expect(stderr).to.match(/^error: .+/m);
    return status ?? 1;
  }

  async function killContainers(name: string): Promise<void> {
    const { runtime } = stage.user;
    const kills = (await stage.containers(name)).map(({ id }) => runtime.stopContainer(id, { graceMs: 0 }));
    await Promise.allSettled(kills); // The container may already be gone.
  }

  async function killSupervisor(name: string): Promise<void> {
    try {
      process.kill(await stage.supervisorOf(name), 'SIGKILL');
    } catch {
      // A stopped workload has no supervisor, or it is about to end.
    }
  }

  async function expectServed(url: string): Promise<void> {
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
  }
});

import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../../support/soak.ts';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { useFaultStage } from './support/fault-stage.ts';
import { overHttp, overStdio } from './support/faulty-servers.ts';

const KINDS = [overStdio(), ['--stdio-sessions', 'shared', ...overStdio()], overHttp()];
const COMMANDS = ['run', 'replace', 'change', 'start', 'stop', 'restart', 'rm', 'kill supervisor'] as const;
const SOON = { withinMs: 60_000 };

/** A command about the one workload, and the time until it is killed. Undefined means never. */
interface Begun {
  readonly command: (typeof COMMANDS)[number];
  /** Delay after the previous commands, in milliseconds. */
  readonly afterMs: number;
  readonly killedAfterMs: number | undefined;
}

const begun: fc.Arbitrary<Begun> = fc.record({
  command: fc.constantFrom(...COMMANDS),
  afterMs: fc.integer({ min: 0, max: 1200 }),
  killedAfterMs: fc.option(fc.integer({ min: 50, max: 2000 }), { nil: undefined, freq: 3 }),
});

describe('concurrent and killed commands about one workload', function () {
  this.timeout(limitMs(240_000));
  const stage = useFaultStage();

  it('leave a workload that can be started and removed, and nothing else', async () => {
    const life = fc.asyncProperty(
      fc.nat(KINDS.length - 1),
      fc.array(begun, { minLength: 3, maxLength: 6 }),
      async (kind, commands) => await live(KINDS[kind] ?? [], commands),
    );
    await fc.assert(
      life.afterEach(() => stage.clear()),
      { ...trials({ short: 1, long: 60 }), endOnFailure: true },
    );
  });

  async function live(words: readonly string[], commands: readonly Begun[]): Promise<void> {
    const name = stage.name();
    const running: Promise<void>[] = [];
    for (const { command, afterMs, killedAfterMs } of commands) {
      await pass(afterMs);
      const one = begin(command, name, words, killedAfterMs);
      one.catch(() => undefined); // The line below throws it.
      running.push(one);
    }
    await Promise.all(running);
    await eventually(
      async () => expect(await statusOf(name)).not.to.be.oneOf(['starting', 'stopping']),
      SOON,
    );
    if ((await statusOf(name)) === undefined) await stage.runs(name, ...words);
    await stage.user.done('start', name);
    const url = (await stage.listed(name))?.url ?? '';
    await eventually(async () => {
      expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
    }, SOON);
    await stage.user.done('rm', name);
    await eventually(() => stage.user.expectNoTraces(), SOON);
  }

  async function begin(
    command: Begun['command'],
    name: string,
    words: readonly string[],
    killedAfterMs: number | undefined,
  ): Promise<void> {
    if (command === 'kill supervisor') return await killSupervisor(name);
    const run = stage.words(name, ...(command === 'replace' ? ['--replace'] : []), ...words);
    const own = command === 'change' ? [command, name, '-e', `AT=${randomUUID()}`] : [command, name];
    const one = stage.begin(command === 'run' || command === 'replace' ? run : own);
    const timer =
      killedAfterMs === undefined ? undefined : setTimeout(() => one.kill('SIGKILL'), killedAfterMs);
    const { status, signal, stderr } = await one.finished;
    clearTimeout(timer);
    if (signal === 'SIGKILL') return;
    expect(stderr).not.to.match(/^ {4}at /m);
    // A command that stops or removes a workload also ends one that still starts it.
    const says = status === 143 ? /^interrupted$/m : /^error: .+/m;
    if (status !== 0) expect(stderr, `${command}: ${status}`).to.match(says);
  }

  async function statusOf(name: string): Promise<string | undefined> {
    return (await stage.listed(name))?.status;
  }

  async function killSupervisor(name: string): Promise<void> {
    try {
      process.kill(await stage.supervisorOf(name), 'SIGKILL');
    } catch {
      // The process does not exist or is about to end.
    }
  }
});

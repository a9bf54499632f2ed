import { type Logger, Semaphore } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { LeaseState } from '../src/sync/schedule/lease.ts';
import { FairSlot } from '../src/sync/schedule/fair-slot.ts';
import { SourceClock } from '../src/sync/schedule/source-clock.ts';
import type { SyncedSource, SyncContext } from '../src/sync/synced-source.ts';

const source: SyncedSource = {
  id: 1,
  name: 'notes',
  instance: {
    async *readEntries() {
      // The source has no entries.
    },
  },
  claimsFrom: 'source',
  filter: undefined,
  intervalMs: 60_000,
};

/** Leases that are never ours, and nothing due for an hour. */
class RefusedLeases {
  /** What each `take` was asked: whether also a source that is not due. */
  readonly taken: boolean[] = [];
  #told: (() => void) | undefined;

  async take(_source: unknown, evenIfNotDue: boolean): Promise<boolean> {
    this.taken.push(evenIfNotDue);
    return false;
  }

  state(): Promise<LeaseState> {
    const { promise, resolve } = Promise.withResolvers<LeaseState>();
    resolve({ owner: undefined, freeInMs: 0, dueInMs: 3_600_000, reading: 'r' });
    this.#told?.();
    this.#told = undefined;
    return promise;
  }

  /** Settles when `state` is asked next, before its answer is read. */
  get stateAsked(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#told = resolve;
    return promise;
  }
}

function clockOver(leases: RefusedLeases): SourceClock {
  const logger: Logger = createRecordingLogger();
  // Only the part of the context that a source of another replica uses.
  const around = { leases, logger, owner: 'me' } as unknown as SyncContext;
  const places = new Semaphore(1);
  const enter = (signal: AbortSignal) => FairSlot.enter(places, 5000, signal);
  return new SourceClock(source, around, enter, () => undefined);
}

describe('SourceClock', () => {
  for (let turns = 0; turns <= 6; turns += 1) {
    it(`notices a trigger ${turns} event-loop turns after it read the plan, before it sleeps`, async () => {
      const leases = new RefusedLeases();
      const clock = clockOver(leases);
      const asked = leases.stateAsked;
      clock.start(false);
      await asked;
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      clock.trigger();
      await eventually(() => expect(leases.taken).to.deep.equal([false, true]), { withinMs: 40_000 });
      await clock.stop();
    });
  }

  it('requests the lease at most once for a trigger when another process has it', async () => {
    const leases = new RefusedLeases();
    const clock = clockOver(leases);
    const asked = leases.stateAsked;
    clock.start(false);
    await asked;
    clock.trigger();
    await eventually(() => expect(leases.taken.length).to.be.greaterThan(1));
    const before = leases.taken.length;
    // Many turns of the event loop, in none of which the pause is over.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(leases.taken.length - before).to.be.lessThan(2);
    await clock.stop();
  });
});

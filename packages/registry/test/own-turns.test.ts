import type { SourceEntry } from '@portolan/plugin-api';
import { readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Leases } from '../src/sync/schedule/lease.ts';
import { OwnTurns } from '../src/preparation/own-turns.ts';
import { readInFull } from '../src/sync/read-source.ts';
import { Spool } from '../src/sync/write/spool.ts';
import type { SyncedSource } from '../src/sync/synced-source.ts';
import { silent } from './support/engines.ts';
import { server } from './support/settable-source.ts';

/** Fewer bytes than the spool keeps before it writes to its file, which would be a turn of its own. */
const ENTRIES = 500;

describe('a sync of a source that has all entries in memory', () => {
  it('lets other requests run in the meantime', async () => {
    const counter = new TurnCounter();
    const taken: number[] = [];
    const instance = {
      async *readEntries(): AsyncGenerator<SourceEntry> {
        for (let at = 0; at < ENTRIES; at += 1) {
          taken.push(counter.turns);
          yield server(`acme/at-hand-${at}`);
        }
      },
    };
    const source: SyncedSource = {
      id: 1,
      name: 'at-hand',
      instance,
      claimsFrom: 'source',
      filter: undefined,
      intervalMs: 1000,
    };
    // SAFETY: a read takes no lease; it is done with one that is held.
    const leases = {} as Leases;
    const store = {} as Parameters<typeof readInFull>[2]['store'];
    const around = {
      store,
      leases,
      owner: 'x',
      logger: silent,
      clock: () => new Date(),
      maxMetaSize: 1000,
      here: 'h',
    };
    const spool = await Spool.open();
    counter.start();
    try {
      await readInFull(spool, source, around, readContext('/nowhere'), new AbortController().signal);
    } finally {
      counter.stop();
      await spool.close();
    }
    expect(taken).to.have.lengthOf(ENTRIES);
    expect((taken.at(-1) ?? 0) - (taken[0] ?? 0), 'turns between the first and the last entry').to.be.above(
      2,
    );
  });
});

describe('OwnTurns', () => {
  for (const { busy, stoodBack, title } of [
    { busy: 0, stoodBack: 0, title: 'continues after one turn without other work' },
    { busy: 3, stoodBack: 3, title: 'waits until other work has finished' },
    { busy: 100, stoodBack: 5, title: 'continues after a limit while other work never finishes' },
  ]) {
    it(title, async () => {
      let nowMs = 0;
      let left = busy;
      let others = 0;
      const work = (): void => {
        if (left === 0) return;
        left -= 1;
        others += 1;
        nowMs += 1;
        setImmediate(work);
      };
      const turns = new OwnTurns(() => nowMs);
      setImmediate(work);
      await turns.next();
      expect(others, 'within its own turn').to.equal(0);
      nowMs += 1;
      await turns.next();
      expect(others).to.equal(stoodBack);
      left = 0;
    });
  }
});

/** Counts how often the event loop came by. */
class TurnCounter {
  turns = 0;
  #next: NodeJS.Immediate | undefined;

  start(): void {
    this.#next = setImmediate(() => {
      this.turns += 1;
      this.start();
    });
  }

  stop(): void {
    clearImmediate(this.#next);
  }
}

import { Semaphore, type Source, type SourceEntry } from '@portolan/plugin-api';
import { readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { FairSlot } from '../src/sync/schedule/fair-slot.ts';
import { server } from './support/settable-source.ts';

describe('FairSlot', () => {
  const { signal } = new AbortController();
  const context = readContext('/nowhere');
  let places: Semaphore;
  let place: FairSlot;

  beforeEach(async () => {
    places = new Semaphore(1);
    const entered = await FairSlot.enter(places, 5, signal);
    if (entered === undefined) throw new TypeError('no place');
    place = entered;
  });
  afterEach(() => place.leave());

  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  for (const { how, ask } of [
    {
      how: 'an entry',
      ask: (source: Source) => source.readEntries(signal, context)[Symbol.asyncIterator]().next(),
    },
    {
      how: 'a change',
      ask: (source: Source) => source.readChanges?.('1', signal, context)[Symbol.asyncIterator]().next(),
    },
    { how: 'a fingerprint', ask: (source: Source) => source.fingerprint?.(signal, context) },
  ]) {
    it(`frees its slot while ${how} is pending, and waits for a slot afterwards`, async () => {
      const gate = Promise.withResolvers<void>();
      const source: Source = {
        async *readEntries() {
          await gate.promise;
          yield server('acme/late');
        },
        readChanges: () => source.readEntries(signal, context),
        fingerprint: async () => {
          await gate.promise;
          return 'mark';
        },
      };
      let isAnswered = false;
      const asking = async (): Promise<void> => {
        await ask(place.limit(source));
        isAnswered = true;
      };
      const answer = asking();
      const leave = await places.enter();
      gate.resolve();
      await turns();
      expect(isAnswered, 'while another one has the place').to.equal(false);
      leave();
      await answer;
      const next = places.enter();
      await turns();
      place.leave();
      (await next)();
    });
  }

  it('continues without a slot when the sync must end', async () => {
    const stopping = new AbortController();
    const other = new Semaphore(1);
    const entered = await FairSlot.enter(other, 0, stopping.signal);
    const gate = Promise.withResolvers<string>();
    const source: Source = { async *readEntries() {}, fingerprint: () => gate.promise };
    const answer = entered?.limit(source).fingerprint?.(signal, context);
    const leave = await other.enter();
    stopping.abort();
    gate.resolve('mark');
    expect(await answer).to.equal('mark');
    entered?.leave();
    leave();
    expect(other.waiting).to.equal(0);
  });

  it('passes errors of the source on, and closes an aborted read', async () => {
    let closed = 0;
    const source: Source = {
      async *readEntries(): AsyncGenerator<SourceEntry> {
        try {
          yield server('acme/one');
          yield server('acme/two');
          throw new Error('as asked');
        } finally {
          closed += 1;
        }
      },
    };
    for await (const _ of place.limit(source).readEntries(signal, context)) break;
    expect(closed).to.equal(1);
    let fault = '';
    try {
      for await (const _ of place.limit(source).readEntries(signal, context)) continue;
    } catch (error) {
      fault = String(error);
    }
    expect([fault, closed]).to.deep.equal(['Error: as asked', 2]);
  });

  it('has only the methods of the source', () => {
    const source: Source = { async *readEntries() {}, fullReadEveryMs: 5 };
    expect(Object.keys(place.limit(source))).to.have.members(['readEntries', 'fullReadEveryMs']);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { Semaphore } from '../src/index.ts';

describe('Semaphore', () => {
  it('gives slots up to its size, and others in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 12 }),
        async (places, count) => {
          const semaphore = new Semaphore(places);
          const entered: number[] = [];
          const leaves: (() => void)[] = [];
          const all = Array.from({ length: count }, async (_, at) => {
            leaves.push(await semaphore.enter());
            entered.push(at);
          });
          await Promise.all(all.slice(0, places));
          expect(semaphore.waiting).to.equal(Math.max(0, count - places));
          for (let at = places; at < count; at += 1) {
            leaves.shift()?.();
            await all[at];
            expect(leaves.length).to.equal(places);
          }
          expect(entered).to.deep.equal(Array.from({ length: count }, (_, at) => at));
        },
      ),
    );
  });

  it('frees a slot once, for any number of calls', async () => {
    const semaphore = new Semaphore(1);
    const leave = await semaphore.enter();
    leave();
    leave();
    await semaphore.enter();
    void semaphore.enter();
    expect(semaphore.waiting).to.equal(1);
  });

  it('rejects a caller whose signal has aborted', async () => {
    const semaphore = new Semaphore(1);
    expect(await semaphore.enter(AbortSignal.abort())).to.equal(undefined);
    expect(await semaphore.enter()).to.be.a('function');
  });

  it('removes a waiter that aborts, and gives the slot to the next', async () => {
    const semaphore = new Semaphore(1);
    const leave = await semaphore.enter();
    const gone = new AbortController();
    const second = semaphore.enter(gone.signal);
    const third = semaphore.enter(new AbortController().signal);
    gone.abort();
    expect(await second).to.equal(undefined);
    leave();
    expect(await third).to.be.a('function');
  });

  it('passes on a slot that was freed at the time of the abort', async () => {
    const semaphore = new Semaphore(1);
    const leave = await semaphore.enter();
    const gone = new AbortController();
    const second = semaphore.enter(gone.signal);
    leave();
    gone.abort();
    expect(await second).to.equal(undefined);
    expect(await semaphore.enter()).to.be.a('function');
  });
});

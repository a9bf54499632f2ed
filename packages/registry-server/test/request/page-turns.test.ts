import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { PageTurns } from '../../src/request/page-turns.ts';

describe('PageTurns', () => {
  /** Whether it has resolved once the event loop has gone round some times. */
  async function isOver(promise: Promise<void>): Promise<boolean> {
    let over = false;
    promise.then(
      () => (over = true),
      () => undefined,
    );
    for (let round = 0; round < 5; round += 1) await setImmediate();
    return over;
  }

  it('continues a page at once when it is the only request', async () => {
    const turns = new PageTurns();
    turns.requestBegan();
    const ends = turns.isPage();
    expect(await isOver(turns.take())).to.equal(true);
    ends();
    turns.requestEnded();
    expect(await isOver(turns.take())).to.equal(true);
  });

  it('waits until other requests have ended', async () => {
    const turns = new PageTurns(600_000);
    turns.requestBegan();
    turns.requestBegan();
    const turn = turns.take();
    turns.requestEnded();
    expect(await isOver(turn)).to.equal(false);
    turns.requestEnded();
    expect(await isOver(turn)).to.equal(true);
  });

  it('continues after a short time while another request hangs', async () => {
    const turns = new PageTurns();
    turns.requestBegan();
    const sinceMs = performance.now();
    await Promise.all([turns.take(), turns.take()]);
    expect(performance.now() - sinceMs).to.be.at.least(4);
  });

  it('continues one page per turn of the event loop, in the order of the calls', async () => {
    const turns = new PageTurns();
    const seen: string[] = [];
    const page = async (name: string): Promise<void> => {
      await turns.take();
      seen.push(name);
    };
    const pages = ['first', 'second', 'third'].map(page);
    for (let round = 0; round < 10; round += 1) {
      await setImmediate();
      seen.push('-');
    }
    await Promise.all(pages);
    expect(seen.filter((one) => one !== '-')).to.deep.equal(['first', 'second', 'third']);
    expect(
      seen.slice(seen.indexOf('first'), seen.indexOf('third')).filter((one) => one === '-'),
    ).to.have.length.at.least(2);
  });
});

import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { PageTurns } from '../../src/request/page-turns.ts';

describe('turns of pages', () => {
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

  it('go on at once where nobody else is there, a page itself included', async () => {
    const turns = new PageTurns();
    turns.requestBegan();
    const ends = turns.isPage();
    expect(await isOver(turns.take())).to.equal(true);
    ends();
    turns.requestEnded();
    expect(await isOver(turns.take())).to.equal(true);
  });

  it('wait until other requests are answered', async () => {
    const turns = new PageTurns(600_000);
    turns.requestBegan();
    turns.requestBegan();
    const turn = turns.take();
    turns.requestEnded();
    expect(await isOver(turn)).to.equal(false);
    turns.requestEnded();
    expect(await isOver(turn)).to.equal(true);
  });

  it('go on though another request has no end', async () => {
    const turns = new PageTurns();
    turns.requestBegan();
    const sinceMs = performance.now();
    await Promise.all([turns.take(), turns.take()]);
    expect(performance.now() - sinceMs).to.be.at.least(4);
  });

  it('are one each time round the event loop, in the order in which they were asked for', async () => {
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

import { expect } from 'chai';
import { CoalescedRead } from '../src/read/coalesced-read.ts';

/** Reads that are answered when the test says so; `sent` counts them. */
class DelayedReads {
  readonly answers: PromiseWithResolvers<string>[] = [];

  readonly read = (): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    this.answers.push(answer);
    return answer.promise;
  };

  /** Settles once so many were sent. */
  async sent(count: number): Promise<void> {
    while (this.answers.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('CoalescedRead', () => {
  it('sends one read for all callers that arrive before it is sent', async () => {
    const held = new DelayedReads();
    const shared = new CoalescedRead(held.read);
    const asked = [shared.fresh(), shared.fresh()];
    await held.sent(1);
    held.answers[0]?.resolve('a');
    expect(await Promise.all(asked)).to.deep.equal(['a', 'a']);
    expect(held.answers).to.have.length(1);
  });

  it('starts a new read for a caller that arrives after the earlier read was sent', async () => {
    const held = new DelayedReads();
    const shared = new CoalescedRead(held.read, 60_000);
    const first = shared.fresh();
    await held.sent(1);
    const second = shared.fresh();
    held.answers[0]?.resolve('old');
    expect(await first).to.equal('old');
    await held.sent(2);
    held.answers[1]?.resolve('new');
    expect(await second).to.equal('new');
  });

  it('sends the next read although the earlier one hangs', async () => {
    const held = new DelayedReads();
    const shared = new CoalescedRead(held.read, 10);
    void shared.fresh();
    await held.sent(1);
    const next = shared.fresh();
    await held.sent(2);
    held.answers[1]?.resolve('new');
    expect(await next).to.equal('new');
  });

  it('works after a failed read', async () => {
    const held = new DelayedReads();
    const shared = new CoalescedRead(held.read);
    const first = shared.fresh();
    await held.sent(1);
    const second = shared.fresh();
    held.answers[0]?.reject(new Error('down'));
    expect(await first.catch(String)).to.equal('Error: down');
    await held.sent(2);
    held.answers[1]?.resolve('up');
    expect(await second).to.equal('up');
  });
});

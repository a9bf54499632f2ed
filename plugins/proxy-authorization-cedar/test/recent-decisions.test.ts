import { expect } from 'chai';
import { RecentDecisions } from '../src/decisions/recent-decisions.ts';

describe('RecentDecisions', () => {
  it('decides once per caller and question until the policies change', () => {
    const recent = new RecentDecisions();
    let asked = 0;
    const decide = (caller: string, question: string): boolean =>
      recent.decide(caller, question, () => {
        asked += 1;
        return question === 'may';
      });
    for (let time = 0; time < 3; time += 1) {
      expect(decide('ann', 'may')).to.equal(true);
      expect(decide('ann', 'may not')).to.equal(false);
      expect(decide('bob', 'may')).to.equal(true);
    }
    expect(asked).to.equal(3);
    recent.clear();
    decide('ann', 'may');
    expect(asked).to.equal(4);
  });

  it('does not cache failed decisions', () => {
    const recent = new RecentDecisions();
    expect(recent.decide('ann', 'q', () => undefined)).to.equal(false);
    expect(recent.decide('ann', 'q', () => true)).to.equal(true);
    expect(recent.decide('ann', 'q', () => undefined)).to.equal(true);
  });

  it('does not cache decisions about very long texts, and evicts the oldest', function () {
    this.timeout(120_000);
    const recent = new RecentDecisions();
    const long = 'x'.repeat(5000);
    let asked = 0;
    const decide = (question: string): boolean => recent.decide('ann', question, () => (asked += 1) > 0);
    decide(long);
    decide(long);
    expect(asked).to.equal(2);
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 100_000; at += 1) decide(`${at} ${'y'.repeat(1500)}`);
    // Kept, they would be some 150 MB.
    expect(process.memoryUsage().heapUsed - before).to.be.below(80_000_000);
    asked = 0;
    decide(`99999 ${'y'.repeat(1500)}`);
    expect(asked).to.equal(0);
  });
});

import { expect } from 'chai';
import { CircuitBreaker } from '../../src/members/circuit-breaker.ts';

function breakerAt(): { readonly breaker: CircuitBreaker; readonly pass: (ms: number) => void } {
  let nowMs = 0;
  return {
    breaker: new CircuitBreaker(() => nowMs),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

function failTimes(breaker: CircuitBreaker, times: number): void {
  for (let at = 0; at < times; at += 1) breaker.failed();
}

describe('circuit breaker of a member', () => {
  it('CircuitBreaker › opens after five failures in a row, and not after four', () => {
    const { breaker } = breakerAt();
    failTimes(breaker, 4);
    expect(breaker.admit()).to.equal(0);
    breaker.succeeded();
    failTimes(breaker, 4);
    expect(breaker.isOpen).to.equal(false);
    breaker.failed();
    expect(breaker.isOpen).to.equal(true);
    expect(breaker.admit()).to.equal(1000);
  });

  it('CircuitBreaker › lets one call pass when the pause is over, and closes when it succeeds', () => {
    const { breaker, pass } = breakerAt();
    failTimes(breaker, 5);
    pass(1000);
    expect(breaker.admit()).to.equal(0);
    expect(breaker.admit(), 'a second call').to.be.above(0);
    breaker.succeeded();
    expect(breaker.admit()).to.equal(0);
    expect(breaker.isOpen).to.equal(false);
  });

  it('CircuitBreaker › doubles the pause with each failed attempt, up to 60 s', () => {
    const { breaker, pass } = breakerAt();
    failTimes(breaker, 5);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      pauses.push(breaker.leftMs);
      pass(breaker.leftMs);
      expect(breaker.admit()).to.equal(0);
      breaker.failed();
    }
    expect(pauses).to.deep.equal([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('CircuitBreaker › lets another call pass when the one that tried was cancelled', () => {
    const { breaker, pass } = breakerAt();
    failTimes(breaker, 5);
    pass(1000);
    breaker.admit();
    breaker.abandoned();
    expect(breaker.admit()).to.equal(0);
  });
});

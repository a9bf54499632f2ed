import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import type { RequestedBucket } from '../src/buckets.ts';
import { MemoryBuckets } from '../src/memory-buckets.ts';
import { bucketSize } from '../src/token-bucket.ts';

/** A bucket as it is told: so many tokens, in parts of one, of which some come back each microsecond. */
class ModelBucket {
  readonly #most: number;
  readonly #part: number;
  #parts: number;
  #atUs: number;

  constructor(maxTokens: number, tokenUs: number, nowUs: number) {
    this.#part = tokenUs;
    this.#most = maxTokens * tokenUs;
    this.#parts = this.#most;
    this.#atUs = nowUs;
  }

  canTake(nowUs: number): boolean {
    this.#parts = Math.min(this.#most, this.#parts + (nowUs - this.#atUs));
    this.#atUs = nowUs;
    return this.#parts >= this.#part;
  }

  missingUs(): number {
    return this.#part - this.#parts;
  }

  take(): void {
    this.#parts -= this.#part;
  }
}

const START = Date.parse('2026-01-01T00:00:00.000Z');

describe('MemoryBuckets', () => {
  it('behaves like the model, for all buckets of a call or none', () => {
    const limits = fc.array(
      fc.record({
        maxTokens: fc.integer({ min: 1, max: 7 }),
        refillMs: fc.integer({ min: 1, max: 5000 }),
        owners: fc.integer({ min: 1, max: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const calls = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 1500 }), owner: fc.nat({ max: 2 }) }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(limits, calls, (sizes, asks) => {
        const { nowMs, advance } = movable();
        const buckets = new MemoryBuckets(nowMs, sizes.length);
        const models = new Map<string, ModelBucket>();
        for (const { afterMs, owner } of asks) {
          advance(afterMs);
          const nowUs = nowMs() * 1000;
          const asked = sizes.map(({ maxTokens, refillMs, owners }, index) => {
            const one = { limit: `l${index}`, owner: `o${owner % owners}` };
            const size = bucketSize(maxTokens, refillMs);
            const key = `${one.limit} ${one.owner}`;
            const model = models.get(key) ?? new ModelBucket(maxTokens, size.tokenUs, nowUs);
            models.set(key, model);
            return { ...one, size, model };
          });
          const short = asked.filter(({ model }) => !model.canTake(nowUs));
          if (short.length === 0) for (const { model } of asked) model.take();
          const waitUs = Math.max(0, ...short.map(({ model }) => model.missingUs()));
          expect(buckets.take(asked) * 1000).to.be.closeTo(waitUs, 1e-6);
        }
      }),
    );
  });

  it('never exceeds the bucket size and its refill in any period', () => {
    const sizes = fc.record({
      maxTokens: fc.integer({ min: 1, max: 50 }),
      refillMs: fc.integer({ min: 1, max: 9999 }),
    });
    fc.assert(
      fc.property(
        sizes,
        fc.array(fc.nat({ max: 400 }), { maxLength: 200 }),
        ({ maxTokens, refillMs }, steps) => {
          const { nowMs, advance } = movable();
          const buckets = new MemoryBuckets(nowMs, 1);
          const taken: number[] = [];
          for (const step of steps) {
            advance(step);
            if (buckets.take([bucketOf(maxTokens, refillMs)]) === 0) taken.push(nowMs());
          }
          taken.forEach((from, first) => {
            taken.slice(first).forEach((to, count) => {
              expect(count + 1).to.be.at.most(maxTokens + ((to - from) * maxTokens) / refillMs);
            });
          });
        },
      ),
    );
  });

  it('gives a token exactly after the reported delay', () => {
    const { nowMs, advance } = movable();
    const buckets = new MemoryBuckets(nowMs, 1);
    const asked = [bucketOf(3, 9000)];
    expect([1, 2, 3, 4].map(() => buckets.take(asked))).to.deep.equal([0, 0, 0, 3000]);
    advance(2999);
    expect(buckets.take(asked)).to.equal(1);
    advance(1);
    expect([buckets.take(asked), buckets.take(asked)]).to.deep.equal([0, 3000]);
  });

  it('removes 100,000 callers once their buckets are full again', () => {
    const { nowMs, advance } = movable();
    const buckets = new MemoryBuckets(nowMs, 1);
    for (let index = 0; index < 100_000; index += 1) {
      buckets.take([{ ...bucketOf(10, 1000), owner: `caller ${index}` }]);
    }
    expect(buckets.size).to.be.at.most(100_000);
    advance(1000);
    buckets.take([{ ...bucketOf(10, 1000), owner: 'the next' }]);
    expect(buckets.size).to.equal(1);
  });

  it('keeps at most the maximum number of buckets, and evicts the least recently used', () => {
    const { nowMs } = movable();
    const buckets = new MemoryBuckets(nowMs, 1, 1000);
    const of = (owner: string): RequestedBucket => ({ ...bucketOf(1, 3_600_000), owner });
    for (let index = 0; index < 5000; index += 1) buckets.take([of(`caller ${index}`)]);
    expect(buckets.size).to.equal(1000);
    expect(buckets.take([of('caller 4999')])).to.be.greaterThan(0);
    expect(buckets.take([of('caller 0')])).to.equal(0);
  });
});

function bucketOf(maxTokens: number, refillMs: number): RequestedBucket {
  return { limit: 'server', owner: '', size: bucketSize(maxTokens, refillMs) };
}

function movable(): { readonly nowMs: () => number; readonly advance: (ms: number) => void } {
  const clock = new FakeClock(new Date(START));
  return { nowMs: clock.nowMs, advance: (ms) => clock.advance(ms) };
}

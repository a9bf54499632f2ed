import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import { type Page, PageCache } from '../../src/responses/page-cache.ts';

const page = (bytes: number): Page => ({
  etag: 'W/"x"',
  viewTag: undefined,
  body: Buffer.alloc(bytes, 'x'),
  zipped: undefined,
});

describe('PageCache', () => {
  it('stays within its byte limit, keys and compressed forms included', async () => {
    const cache = new PageCache(20_000);
    for (let index = 0; index < 50; index += 1) {
      const key = `${'k'.repeat(100)}${index}`;
      const made = await cache.load(key, () => Promise.resolve(page(3000)));
      await cache.zipped(key, made);
      expect(cache.bytes).to.be.at.most(20_000);
    }
    expect(cache.bytes).to.be.above(10_000);
  });

  it('does not cache a page above the total limit', async () => {
    const cache = new PageCache(1000);
    await cache.load('large', () => Promise.resolve(page(2000)));
    expect(cache.find('large')).to.equal(undefined);
  });

  it('compresses once for concurrent callers, and counts the compressed bytes', async () => {
    const cache = new PageCache(100_000);
    const made = await cache.load('a', () => Promise.resolve(page(5000)));
    const before = cache.bytes;
    const [first, second] = await Promise.all([cache.zipped('a', made), cache.zipped('a', made)]);
    expect(first).to.equal(second);
    expect(cache.find('a')?.zipped).to.equal(first);
    expect(cache.bytes).to.equal(before + first.length);
    expect(gunzipSync(first).equals(made.body)).to.equal(true);
  });

  it('does not restore a page that was evicted during its compression', async () => {
    const cache = new PageCache(7000);
    const made = await cache.load('a', () => Promise.resolve(page(4000)));
    const zipping = cache.zipped('a', made);
    await cache.load('b', () => Promise.resolve(page(4000)));
    await zipping;
    expect([cache.find('a') === undefined, cache.find('b') === undefined]).to.deep.equal([true, false]);
  });

  it('passes an error to all waiting callers, and retries for the next one', async () => {
    const cache = new PageCache(7000);
    let tries = 0;
    const make = () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('lost')) : Promise.resolve(page(10));
    };
    const outcomes = await Promise.allSettled([cache.load('a', make), cache.load('a', make)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    await cache.load('a', make);
    expect(tries).to.equal(2);
  });
});

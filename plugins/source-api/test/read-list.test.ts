import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { LISTS } from '../src/lists.ts';
import { readList } from '../src/read-list.ts';

const PAGES = 2000;

describe('readList', () => {
  it('keeps no data of previous pages that grows with their cursors', async function () {
    this.timeout(60_000);
    const [list] = LISTS.server;
    if (list === undefined) throw new Error('no list of servers');
    setFlagsFromString('--expose-gc');
    // SAFETY: the flag makes it a function.
    const collect = runInNewContext('gc') as () => void;
    let pages = 0;
    let before = 0;
    let after = 0;
    const entries = readList(list, { maxPages: PAGES, maxEntries: PAGES }, async () => {
      pages += 1;
      if (pages === 1 || pages === PAGES) {
        collect();
        const { heapUsed } = process.memoryUsage();
        if (pages === 1) before = heapUsed;
        else after = heapUsed;
      }
      const nextCursor = pages < PAGES ? `${pages}-`.padEnd(8000, 'x') : '';
      const servers = [{ server: { name: `dev.acme/s${pages}`, version: '1.0.0' } }];
      return {
        status: 200,
        type: 'application/json',
        headers: new Headers(),
        address: new URL('http://registry.example/'),
        bytes: Buffer.from(JSON.stringify({ servers, metadata: { nextCursor } })),
      };
    });
    let count = 0;
    for await (const _ of entries) count += 1;
    expect(count).to.equal(PAGES);
    // All cursors have 16 MB.
    expect((after - before) / 1_000_000, 'MB').to.be.below(4);
  });
});

import { expect } from 'chai';
import { SessionRows, type Store } from '@portolan/registry';
import { forEachEngine, openTestStore, type TestDatabase } from './support/engines.ts';

const HOUR = 3_600_000;

describe('SessionRows', () => {
  forEachEngine((engine) => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
    });
    after(async () => {
      await store.close();
      await database.drop();
    });
    const rows = (life: { lifetimeMs?: number; idleMs?: number } = {}): SessionRows =>
      new SessionRows(store, { lifetimeMs: HOUR, idleMs: HOUR, ...life });

    it('stores data, and returns whether there was a row to replace or remove', async () => {
      const all = rows();
      await all.insert('a', 'one');
      expect(await all.find('a')).to.equal('one');
      expect(await all.replace('a', 'two')).to.equal(true);
      expect(await rows().find('a')).to.equal('two');
      expect(await all.remove('a')).to.equal(true);
      expect([await all.remove('a'), await all.replace('a', 'three'), await all.find('a')]).to.deep.equal([
        false,
        false,
        undefined,
      ]);
    });

    for (const life of [{ lifetimeMs: 0 }, { idleMs: 0 }]) {
      it(`finds no expired session, and deletes it, with ${JSON.stringify(life)}`, async () => {
        await rows(life).insert('ended', 'secret');
        await rows().insert('good', 'kept');
        expect(await rows().find('ended')).to.equal(undefined);
        await rows().removeEnded();
        const left = await store.reading.selectFrom('browser_session').select('id_hash').execute();
        expect(left).to.deep.equal([{ id_hash: 'good' }]);
        await rows().remove('good');
      });
    }

    it('extends the idle time with each request, up to the lifetime', async () => {
      await rows({ idleMs: HOUR, lifetimeMs: 2 * HOUR }).insert('used', 'x');
      const ends = async () =>
        await store.reading
          .selectFrom('browser_session')
          .select(['until_ms', 'idle_until_ms'])
          .where('id_hash', '=', 'used')
          .executeTakeFirstOrThrow();
      const before = await ends();
      await rows({ idleMs: HOUR }).find('used');
      expect(await ends(), 'written again only when a tenth is over').to.deep.equal(before);
      await rows({ idleMs: 10 * HOUR }).find('used');
      const after = await ends();
      expect(after.idle_until_ms).to.be.greaterThan(before.idle_until_ms + 8 * HOUR);
      expect(after.until_ms).to.equal(before.until_ms);
      await rows().remove('used');
    });

    it('gives one of many concurrent callers the lease of a session, and another after it', async () => {
      await rows().insert('b', 'x');
      const taken = await Promise.all(Array.from({ length: 8 }, () => rows().lease('b')));
      const [release, ...others] = taken.filter((each) => each !== undefined);
      expect(others).to.deep.equal([]);
      await release?.();
      const again = await rows().lease('b');
      expect(again).to.be.a('function');
      // What the first still holds is worth nothing any more.
      await release?.();
      expect(await rows().lease('b')).to.equal(undefined);
      await again?.();
      expect(await rows().lease('nobody')).to.equal(undefined);
    });

    it('replaces an expired lease', async () => {
      await rows().insert('c', 'x');
      await rows().lease('c');
      await store.writing.updateTable('browser_session').set({ lease_until_ms: 1 }).execute();
      expect(await rows().lease('c')).to.be.a('function');
    });
  });
});

import { randomBytes } from 'node:crypto';
import { createRecordingLogger, FakeClock } from '@portolan/plugin-testing';
import { type ErrorClass, PortolanError } from '@portolan/plugin-api';
import { openStore, SessionRows, type Store } from '@portolan/registry';
import { expect } from 'chai';
import fc from 'fast-check';
import { SealedSessions } from '../src/host/sessions/sealed-sessions.ts';
import { Sealer } from '../src/host/sessions/sealer.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const { signal } = new AbortController();

describe('Sealer', () => {
  const sealer = new Sealer([NEW, OLD]);

  it('encrypts equal texts differently, and decrypts them only for the purpose that they were encrypted for', () => {
    const [one, two] = [sealer.seal('here', { a: 1 }), sealer.seal('here', { a: 1 })];
    expect(one).to.not.equal(two);
    expect([sealer.open('here', one), sealer.open('there', one)]).to.deep.equal([{ a: 1 }, undefined]);
  });

  it('encrypts with the first key and decrypts with all, so that keys can be replaced without a logout', () => {
    const before = new Sealer([OLD]).seal('here', { a: 1 });
    const after = sealer.seal('here', { a: 2 });
    expect(sealer.open('here', before)).to.deep.equal({ a: 1 });
    expect(new Sealer([OLD]).open('here', after)).to.equal(undefined);
    expect(new Sealer([NEW]).open('here', before)).to.equal(undefined);
    expect(new Sealer([NEW]).open('here', after)).to.deep.equal({ a: 2 });
  });

  it('rejects a text with a changed bit and any other text', () => {
    const bytes = Buffer.from(sealer.seal('here', { token: 'secret' }), 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const changed = Buffer.from(bytes);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return sealer.open('here', changed.toString('base64url')) === undefined;
      }),
    );
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => sealer.open('here', text) === undefined));
  });
});

describe('SealedSessions', () => {
  const clock = new FakeClock();
  const logger = createRecordingLogger();
  let store: Store;
  let sessions: SealedSessions;
  before(async () => {
    store = await openStore(
      {
        url: 'sqlite::memory:',
        maxOpenConns: 1,
        maxIdleConns: 0,
        connMaxLifetime: '5m',
        maxMetaSize: 1,
        migrateOnStart: true,
      },
      { directory: '/', environment: {}, logger, connMaxLifetimeMs: 1000 },
    );
    await store.migrations.up();
    const rows = new SessionRows(store, { idleMs: 3_600_000, lifetimeMs: 3_600_000 });
    sessions = new SealedSessions(rows, new Sealer([NEW]), { clock: clock.clock, logger });
  });
  after(async () => {
    sessions.close();
    await store.close();
  });

  it('runs concurrent changes of a session one after the other, each with the result of the earlier one', async () => {
    const id = await sessions.begin({ count: 0 });
    let inside = 0;
    const add = async ({ count }: { readonly [key: string]: unknown }) => {
      inside += 1;
      expect(inside, 'one at a time').to.equal(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      return { count: Number(count) + 1 };
    };
    await Promise.all(Array.from({ length: 5 }, () => sessions.change(id, add, signal)));
    expect(await sessions.find(id)).to.deep.equal({ count: 5 });
  });

  it('changes nothing when a change throws, and starts the next one', async () => {
    const id = await sessions.begin({ is: 'old' });
    const failing = sessions.change(id, () => Promise.reject(new Error('no')), signal);
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: no');
    expect(await sessions.change(id, () => Promise.resolve({ is: 'new' }), signal)).to.deep.equal({
      is: 'new',
    });
  });

  /** On a database that is away for so many questions of these kinds. */
  const failing = (times: { replace?: number; release?: number }, errorClass: ErrorClass = 'unavailable') => {
    const left = { replace: 0, release: 0, ...times };
    const fail = (what: keyof typeof left): void => {
      left[what] -= 1;
      if (left[what] >= 0)
        throw new PortolanError('ERR_DATABASE_UNAVAILABLE', errorClass, `It is away to ${what}.`);
    };
    class FailingRows extends SessionRows {
      override async replace(...row: Parameters<SessionRows['replace']>): Promise<boolean> {
        fail('replace');
        return await super.replace(...row);
      }

      override async lease(row: string): Promise<(() => Promise<void>) | undefined> {
        const release = await super.lease(row);
        return async () => {
          fail('release');
          await release?.();
        };
      }
    }
    const rows = new FailingRows(store, { idleMs: 3_600_000, lifetimeMs: 3_600_000 });
    return new SealedSessions(rows, new Sealer([NEW]), { clock: clock.clock, logger, retryMs: 1 });
  };

  it('retries the write of a change while the database is briefly down, because a login cannot be renewed twice', async () => {
    const id = await sessions.begin({ is: 'old' });
    const moody = failing({ replace: 2, release: 1 });
    let asked = 0;
    const change = () => Promise.resolve({ is: `new ${(asked += 1)}` });
    expect(await moody.change(id, change, signal)).to.deep.equal({ is: 'new 1' });
    expect(await sessions.find(id)).to.deep.equal({ is: 'new 1' });
    moody.close();
  });

  it('throws when the database stays down, or when a retry cannot help', async () => {
    const id = await sessions.begin({ is: 'old' });
    for (const [times, errorClass] of [
      [100, 'unavailable'],
      [1, 'fault'],
    ] as const) {
      const moody = failing({ replace: times }, errorClass);
      const failure = moody.change(id, () => Promise.resolve({ is: 'new' }), signal);
      expect(await failure.catch((error: unknown) => String(error))).to.contain('It is away to replace.');
      expect(await sessions.find(id)).to.deep.equal({ is: 'old' });
      moody.close();
    }
  });

  it('ends a session on request of a change, and does not restore a session that ended meanwhile', async () => {
    const [gone, left] = [await sessions.begin({}), await sessions.begin({})];
    expect(await sessions.change(gone, () => Promise.resolve(undefined), signal)).to.equal(undefined);
    expect(await sessions.end(gone)).to.equal(false);
    const changed = sessions.change(
      left,
      async () => {
        await sessions.end(left);
        return { is: 'back' };
      },
      signal,
    );
    expect([await changed, await sessions.find(left)]).to.deep.equal([undefined, undefined]);
  });

  it('stops waiting for the lease when the signal aborts', async () => {
    const id = await sessions.begin({});
    const [began, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = sessions.change(
      id,
      async (data) => {
        began.resolve();
        await held.promise;
        return data;
      },
      signal,
    );
    await began.promise;
    const given = new AbortController();
    const waiting = sessions.change(id, () => Promise.resolve({}), given.signal).catch(() => 'gave up');
    given.abort();
    expect(await waiting).to.equal('gave up');
    held.resolve();
    await first;
  });

  it('encrypts texts for one purpose and for a limited time', () => {
    const text = sessions.seal('login', { a: 1 }, 1000);
    expect([sessions.unseal('login', text), sessions.unseal('other', text)]).to.deep.equal([
      { a: 1 },
      undefined,
    ]);
    clock.advance(1000);
    expect(sessions.unseal('login', text)).to.equal(undefined);
  });
});

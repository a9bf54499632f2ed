import { randomUUID } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import type {
  StoredSession,
  SessionStore,
  SessionStoreContext,
  SessionStoreKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { eventually, inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract, rejectionOf } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function sessionStoreContract(options: SessionStoreUnderTest): void {
  registerContract(`session store contract: ${options.name}`, sessionStoreCases(options));
}

export interface SessionStoreUnderTest {
  readonly name: string;
  readonly kind: SessionStoreKind;
  readonly blocks?: readonly unknown[];
  readonly addresses: { readonly good: readonly string[]; readonly bad: readonly string[] };
  /** Creates an instance as each of several proxies would. All instances of one test share their data. */
  readonly create: (context: SessionStoreContext) => SessionStore | Promise<SessionStore>;
  /** Returns the address that `create` connects to, without side effects. */
  readonly address: () => URL;
  /** Stops the store, and starts it again with or without its data. Default: the store cannot fail. */
  readonly outage?: { begin(): Promise<void>; end(): Promise<void> };
  readonly withinMs?: number;
}

type OpenAnother = (change?: Partial<SessionStoreContext>) => Promise<SessionStore>;

/** Runs an action and closes the instances, which share their data. Fails when a resource stays open. */
async function useSessionStore(
  options: SessionStoreUnderTest,
  action: (store: SessionStore, another: OpenAnother) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const opened: SessionStore[] = [];
    const context = {
      address: options.address(),
      password: undefined,
      namespace: randomUUID(),
      ttlMs: 60_000,
    };
    const open: OpenAnother = async (change) => {
      const store = await options.create({ ...createTestContext(), ...context, ...change });
      opened.push(store);
      return store;
    };
    try {
      await inTime('the end of the test', action(await open(), open), { withinMs });
    } finally {
      for (const store of opened) await store.close();
    }
  }, options);
}

const SESSION: StoredSession = {
  path: '/mcp',
  owner: '["https://issuer.example","ada"]',
  revision: undefined,
};
const ODD = ['__proto__', ' {}*:\u0000', '\u00e9\u{1F600}', 'x'.repeat(256)];

export function sessionStoreCases(options: SessionStoreUnderTest): readonly ContractCase[] {
  const { kind, addresses } = options;
  const tried = (title: string, action: Parameters<typeof useSessionStore>[1]): ContractCase => ({
    title,
    run: () => useSessionStore(options, action),
  });
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'returns the fault of an invalid address, and undefined for a valid one',
      run: async () => {
        for (const good of addresses.good) expect(kind.checkAddress(new URL(good)), good).to.equal(undefined);
        for (const bad of addresses.bad)
          expect(kind.checkAddress(new URL(bad)), bad)
            .to.be.a('string')
            .and.not.equal('');
      },
    },
    tried('stores a session for all proxies, once', async (store, another) => {
      const other = await another();
      expect(await store.begin('a', SESSION)).to.equal(true);
      expect(await other.begin('a', { ...SESSION, owner: undefined })).to.equal(false);
      expect(await other.use('a')).to.deep.equal(SESSION);
      expect(await other.use('b')).to.equal(undefined);
      expect(await other.find('a')).to.deep.equal(SESSION);
      expect(await other.find('b')).to.equal(undefined);
      await other.agree('a', '2025-06-18');
      expect(await store.use('a')).to.deep.equal({ ...SESSION, revision: '2025-06-18' });
    }),
    tried('stores a session without an owner, and one with a known revision', async (store) => {
      const session = { path: '/', owner: undefined, revision: '2025-03-26' };
      await store.begin('a', session);
      expect(await store.use('a')).to.deep.equal(session);
    }),
    tried('lets only one of several concurrent proxies create a session', async (store, another) => {
      const stores = [store, await another(), await another()];
      const started = await Promise.all(stores.map((each) => each.begin('a', SESSION)));
      expect(started.filter(Boolean)).to.have.length(1);
    }),
    tried(
      'forgets a session for every proxy when it ends, and what was asked in it',
      async (store, another) => {
        const other = await another();
        await store.begin('a', SESSION);
        await store.ask('a', 'n1', '{}');
        await other.end('a');
        expect(await store.use('a')).to.equal(undefined);
        expect(await store.take('a', 'n1')).to.equal(undefined);
        await store.agree('a', '2025-06-18');
        expect(await store.use('a')).to.equal(undefined);
        expect(await store.begin('a', SESSION)).to.equal(true);
        expect(await store.use('a')).to.deep.equal(SESSION);
      },
    ),
    tried('stores a pending request of a session once per key, for all proxies', async (store, another) => {
      const other = await another();
      await store.begin('a', SESSION);
      expect(await store.ask('a', 'n1', 'one')).to.equal('kept');
      expect(await other.ask('a', 'n1', 'two')).to.equal('waits');
      expect(await other.ask('a', 's1', 'three')).to.equal('kept');
      const taken = await Promise.all([store, other, store].map((each) => each.take('a', 'n1')));
      expect(taken.filter((request) => request !== undefined)).to.deep.equal(['one']);
      expect(await other.take('b', 's1')).to.equal(undefined);
      expect(await store.ask('a', 'n1', 'again')).to.equal('used');
      expect(await other.ask('a', 'n1', 'and again')).to.equal('waits');
      expect(await store.take('a', 's1')).to.equal('three');
    }),
    tried('stores no request under a key that the session has used before', async (store, another) => {
      const other = await another();
      await store.begin('a', SESSION);
      await store.begin('b', SESSION);
      for (const key of ['n7', 'n0', 'n-1', 'sa', 'n999999999999999', 's7', ...ODD]) {
        expect(await store.ask('a', key, 'first'), key).to.equal('kept');
        expect(await other.take('a', key), key).to.equal('first');
        expect(await other.ask('a', key, 'later'), key).to.equal('used');
        expect(await store.take('a', key), key).to.equal('');
        expect(await store.take('a', key), key).to.equal(undefined);
        expect(await other.ask('b', key, 'elsewhere'), key).to.equal('kept');
      }
      await store.end('a');
      expect(await store.begin('a', SESSION)).to.equal(true);
      expect(await store.ask('a', 'n7', 'of a new session')).to.equal('kept');
      expect(await store.ask('gone', 'n7', 'of no session')).to.not.equal('kept');
    }),
    tried('knows the used keys when requests arrive out of order', async (store, another) => {
      const stores = [store, await another()];
      await store.begin('a', SESSION);
      const numbers = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? index + 1 : index - 1));
      for (const again of [false, true]) {
        for (const [turn, number] of numbers.entries()) {
          const outcome = await stores[turn % 2]?.ask('a', `n${number}`, '{}');
          expect(outcome, String(number)).to.equal(again ? 'used' : 'kept');
          await store.take('a', `n${number}`);
        }
      }
    }),
    tried('treats keys beyond its memory as used', async (store) => {
      await store.begin('a', SESSION);
      const keys = Array.from({ length: 5000 }, (_, index) => `s${index}`);
      const ask = async (some: readonly string[]): Promise<readonly string[]> => {
        const outcome = await Promise.all(some.map((key) => store.ask('a', key, '{}')));
        await Promise.all(some.map((key) => store.take('a', key)));
        return outcome;
      };
      for (let at = 0; at < keys.length; at += 20) await ask(keys.slice(at, at + 20));
      for (const some of [keys.slice(0, 20), keys.slice(-20)])
        expect(new Set(await ask(some))).to.deep.equal(new Set(['used']));
      expect(await ask(['n1'])).to.deep.equal(['kept']);
    }),
    tried('limits the pending requests of a session, and reports the limit', async (store) => {
      await store.begin('a', SESSION);
      for (let count = 0; count < 100_000; count += 500) {
        const keys = Array.from({ length: 500 }, (_, index) => `n${count + index}`);
        const outcome = await Promise.all(keys.map((key) => store.ask('a', key, '{}')));
        if (outcome.includes('full')) return;
      }
      expect.fail('it keeps 100,000 requests of one session');
    }),
    tried('separates the sessions of different servers', async (store, another) => {
      const elsewhere = await another({ namespace: 'another server' });
      await store.begin('a', SESSION);
      expect(await elsewhere.use('a')).to.equal(undefined);
      await elsewhere.end('a');
      expect(await store.use('a')).to.deep.equal(SESSION);
    }),
    tried('accepts ids, owners and requests with any characters', async (store) => {
      for (const odd of ODD) {
        const session = { path: odd, owner: odd, revision: undefined };
        expect(await store.begin(odd, session), JSON.stringify(odd)).to.equal(true);
        await store.ask(odd, odd, odd);
        expect(await store.use(odd)).to.deep.equal(session);
        expect(await store.take(odd, odd)).to.equal(odd);
      }
    }),
    tried('removes a session after the TTL without use, and keeps one in use', async (_store, another) => {
      // If the machine stalls for longer than the session lives, repeat with a longer lifetime.
      for (let ttlMs = 400; ; ttlMs *= 2) {
        const store = await another({ ttlMs });
        await store.begin(`idle-${ttlMs}`, SESSION);
        await store.ask(`idle-${ttlMs}`, 'n1', '{}');
        let usedMs = performance.now();
        await store.begin(`used-${ttlMs}`, SESSION);
        const endMs = performance.now() + 2.5 * ttlMs;
        let [match, isLate]: [unknown, boolean] = [SESSION, false];
        while (match !== undefined && usedMs < endMs) {
          await pass(20);
          const beforeMs = usedMs;
          usedMs = performance.now();
          match = await store.use(`used-${ttlMs}`);
          isLate ||= performance.now() - beforeMs >= ttlMs;
        }
        if (match === undefined && isLate) continue;
        expect(match).to.deep.equal(SESSION);
        expect(await store.use(`idle-${ttlMs}`)).to.equal(undefined);
        expect(await store.take(`idle-${ttlMs}`, 'n1')).to.equal(undefined);
        return;
      }
    }),
    tried('removes a session that is only looked up', async (_store, another) => {
      const store = await another({ ttlMs: 400 });
      await store.begin('looked-up', SESSION);
      const endMs = performance.now() + 1200;
      while (performance.now() < endMs && (await store.find('looked-up')) !== undefined) await pass(20);
      expect(await store.find('looked-up')).to.equal(undefined);
    }),
    tried('can be closed twice', async (store) => {
      await store.close();
      await store.close();
    }),
    ...(options.outage === undefined ? [] : outageCases(options, options.outage)),
  ];
}

function outageCases(
  options: SessionStoreUnderTest,
  outage: NonNullable<SessionStoreUnderTest['outage']>,
): readonly ContractCase[] {
  const during = async (action: () => Promise<void>): Promise<void> => {
    await outage.begin();
    try {
      await action();
    } finally {
      await outage.end();
    }
  };
  const requests: readonly ((store: SessionStore) => Promise<unknown>)[] = [
    (store) => store.begin('a', SESSION),
    (store) => store.use('a'),
    (store) => store.agree('a', '2025-06-18'),
    (store) => store.ask('a', 'n1', '{}'),
    (store) => store.take('a', 'n1'),
    (store) => store.end('a'),
  ];
  return [
    {
      title: 'rejects calls soon during an outage, and works again after it',
      run: () =>
        useSessionStore(options, async (store) => {
          await during(async () => {
            for (const ask of requests) expect(await rejectionOf(ask(store))).to.be.an.instanceOf(Error);
          });
          await eventually(() => store.begin('b', SESSION));
          expect(await store.use('b')).to.deep.equal(SESSION);
        }),
    },
    {
      title: 'can be created during an outage, and works after it',
      run: () =>
        useSessionStore(options, async (_store, another) => {
          let late: SessionStore | undefined;
          await during(async () => {
            late = await another();
          });
          await eventually(() => late?.begin('c', SESSION));
          expect(await late?.use('c')).to.deep.equal(SESSION);
        }),
    },
  ];
}

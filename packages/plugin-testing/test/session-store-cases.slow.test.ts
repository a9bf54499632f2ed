import type { SessionStoreKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { sessionStoreCases, sessionStoreContract, type SessionStoreUnderTest } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';
import { MemorySessionStore, SharedMemory, type SessionStoreFaults } from './support/memory-session-store.ts';

function tried(faults: SessionStoreFaults, change: Partial<SessionStoreKind> = {}): SessionStoreUnderTest {
  const memory = new SharedMemory();
  const kind: SessionStoreKind = {
    kind: 'memory',
    config: { type: 'object', description: 'Kept in memory.', properties: {} },
    checkAddress: ({ pathname }) => (pathname === '' ? undefined : 'it has a path'),
    create: (_, context) => new MemorySessionStore(faults, memory, context),
    ...change,
  };
  return {
    name: 'memory',
    kind,
    blocks: [{}],
    addresses: { good: ['memory://here'], bad: ['memory://here/there'] },
    create: (context) => kind.create({}, context),
    address: () => new URL('memory://here'),
    outage: {
      begin: async () => {
        memory.isAway = true;
      },
      end: async () => {
        memory.isAway = false;
      },
    },
  };
}

sessionStoreContract(tried({}));

describe('sessionStoreCases', () => {
  const broken: readonly { readonly faults: SessionStoreFaults; readonly fails: string }[] = [
    { faults: { overwrites: true }, fails: 'lets only one of several concurrent proxies create a session' },
    { faults: { keepsToItself: true }, fails: 'stores a session for all proxies, once' },
    { faults: { losesOwners: true }, fails: 'accepts ids, owners and requests with any characters' },
    {
      faults: { keepsRequests: true },
      fails: 'forgets a session for every proxy when it ends, and what was asked in it',
    },
    {
      faults: { resurrects: true },
      fails: 'forgets a session for every proxy when it ends, and what was asked in it',
    },
    {
      faults: { takesIdsTwice: true },
      fails: 'stores a pending request of a session once per key, for all proxies',
    },
    {
      faults: { givesTwice: true },
      fails: 'stores a pending request of a session once per key, for all proxies',
    },
    {
      faults: { forgetsKeys: true },
      fails: 'stores no request under a key that the session has used before',
    },
    {
      faults: { noSessionNeeded: true },
      fails: 'stores no request under a key that the session has used before',
    },
    {
      faults: { knowsHighestOnly: true },
      fails: 'knows the used keys when requests arrive out of order',
    },
    { faults: { trustsUnknown: true }, fails: 'treats keys beyond its memory as used' },
    { faults: { keepsAll: true }, fails: 'limits the pending requests of a session, and reports the limit' },
    { faults: { mixesServers: true }, fails: 'separates the sessions of different servers' },
    {
      faults: { neverForgets: true },
      fails: 'removes a session after the TTL without use, and keeps one in use',
    },
    {
      faults: { forgetsUsed: true },
      fails: 'removes a session after the TTL without use, and keeps one in use',
    },
    { faults: { usesWhatIsFound: true }, fails: 'removes a session that is only looked up' },
    { faults: { failsWhenClosedTwice: true }, fails: 'can be closed twice' },
    {
      faults: { answersAnyway: true },
      fails: 'rejects calls soon during an outage, and works again after it',
    },
  ];
  for (const { faults, fails } of broken) {
    it(`fails for a store with the fault ${Object.keys(faults).join(', ')}`, async () => {
      expect(await failingCases(sessionStoreCases(tried(faults)))).to.include(fails);
    });
  }

  it('fails for a store that accepts every address', async () => {
    const lax = tried({}, { checkAddress: () => undefined });
    expect(await failingCases(sessionStoreCases(lax))).to.include(
      'returns the fault of an invalid address, and undefined for a valid one',
    );
  });

  it('fails for a store that cannot be created during an outage', async () => {
    const memory = new SharedMemory();
    const create = (context: Parameters<SessionStoreUnderTest['create']>[0]): MemorySessionStore => {
      if (memory.isAway) throw new Error('it is away');
      return new MemorySessionStore({}, memory, context);
    };
    const outage = {
      begin: async () => void (memory.isAway = true),
      end: async () => void (memory.isAway = false),
    };
    expect(await failingCases(sessionStoreCases({ ...tried({}), create, outage }))).to.include(
      'can be created during an outage, and works after it',
    );
  });
});

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
    { faults: { overwrites: true }, fails: 'lets one of those who begin a session at once have it' },
    { faults: { keepsToItself: true }, fails: 'keeps a session for every proxy, once' },
    { faults: { losesOwners: true }, fails: 'takes ids, owners and requests of whatever characters' },
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
      fails: 'keeps what waits in a session, once under each key, for every proxy',
    },
    {
      faults: { givesTwice: true },
      fails: 'keeps what waits in a session, once under each key, for every proxy',
    },
    {
      faults: { forgetsKeys: true },
      fails: 'keeps no request under a key that its session has used before',
    },
    {
      faults: { noSessionNeeded: true },
      fails: 'keeps no request under a key that its session has used before',
    },
    {
      faults: { knowsHighestOnly: true },
      fails: 'knows which keys were used where requests overtake each other',
    },
    { faults: { trustsUnknown: true }, fails: 'takes for used what it cannot remember' },
    { faults: { keepsAll: true }, fails: 'keeps no end of what waits, and says when it keeps no more' },
    { faults: { mixesServers: true }, fails: 'tells the sessions of one server from those of another' },
    {
      faults: { neverForgets: true },
      fails: 'forgets what nobody used for its time, and nothing that is used',
    },
    {
      faults: { forgetsUsed: true },
      fails: 'forgets what nobody used for its time, and nothing that is used',
    },
    { faults: { usesWhatIsFound: true }, fails: 'forgets a session that is only looked up' },
    { faults: { failsWhenClosedTwice: true }, fails: 'may be closed twice' },
    {
      faults: { answersAnyway: true },
      fails: 'rejects what it is asked while it is away, soon, and works again after that',
    },
  ];
  for (const { faults, fails } of broken) {
    it(`finds one that ${Object.keys(faults).join(', ')}`, async () => {
      expect(await failingCases(sessionStoreCases(tried(faults)))).to.include(fails);
    });
  }

  it('finds one that has nothing against any address', async () => {
    const lax = tried({}, { checkAddress: () => undefined });
    expect(await failingCases(sessionStoreCases(lax))).to.include(
      'says what is wrong with an address, and nothing of a good one',
    );
  });

  it('finds one that cannot be made while it is away', async () => {
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
      'is made while it is away, and works once it is there',
    );
  });
});

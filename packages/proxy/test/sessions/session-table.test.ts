import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { isSessionId, mintSessionId } from '../../src/sessions/session-id.ts';
import { SessionTable } from '../../src/sessions/session-table.ts';

class TestSession {
  readonly id: string;
  isBusy = false;
  isWaiting = false;
  hasEnded = false;

  constructor(id: string) {
    this.id = id;
  }

  async end(): Promise<void> {
    this.hasEnded = true;
  }
}

describe('SessionTable', () => {
  let clock: FakeClock;
  let table: SessionTable<TestSession>;
  beforeEach(() => {
    clock = new FakeClock();
    table = openTable(true);
  });

  const openTable = (keptByStreams: boolean): SessionTable<TestSession> =>
    new SessionTable({ ttlMs: 1000, keptByStreams, nowMs: clock.nowMs });

  function add(id: string): TestSession {
    const session = new TestSession(id);
    table.add(session);
    return session;
  }

  it('ends a session after the TTL without use', async () => {
    const session = add('a');
    clock.advance(1001);
    expect(table.find('a')).to.equal(undefined);
    expect(await table.sweep()).to.equal(1);
    expect([session.hasEnded, table.size]).to.deep.equal([true, 0]);
  });

  it('restarts the TTL on every use', async () => {
    const session = add('a');
    clock.advance(900);
    expect(table.find('a')).to.equal(session);
    clock.advance(900);
    expect(table.has('a')).to.equal(true);
    expect(await table.sweep()).to.equal(0);
  });

  it('keeps a session while it is busy', async () => {
    const session = add('a');
    session.isBusy = true;
    clock.advance(5000);
    expect(await table.sweep()).to.equal(0);
    table.touch('a');
    session.isBusy = false;
    expect(table.find('a')).to.equal(session);
  });

  describe('when open streams do not keep a session alive', () => {
    beforeEach(() => {
      table = openTable(false);
    });

    it('ends a session with an open stream, but not one with a pending request', async () => {
      const [open, waiting] = [add('a'), add('b')];
      open.isBusy = true;
      waiting.isBusy = true;
      waiting.isWaiting = true;
      clock.advance(1001);
      expect(await table.sweep()).to.equal(1);
      expect([open.hasEnded, waiting.hasEnded]).to.deep.equal([true, false]);
    });

    it('counts messages as use, but not the start or end of a stream', () => {
      const session = add('a');
      clock.advance(900);
      expect(table.find('a', 'stream')).to.equal(session);
      table.touch('a', 'stream');
      clock.advance(101);
      expect(table.find('a', 'stream')).to.equal(undefined);

      const used = add('b');
      clock.advance(900);
      expect(table.find('b')).to.equal(used);
      clock.advance(900);
      expect(table.has('b')).to.equal(true);
    });
  });

  it('returns the session that is idle for longest, and the number of busy ones', () => {
    expect([table.findIdlest(), table.busy]).to.deep.equal([undefined, 0]);
    const [first, busy, third] = [add('a'), add('b'), add('c')];
    busy.isBusy = true;
    clock.advance(10);
    table.touch('a');
    clock.advance(100);
    expect(table.findIdlest()).to.deep.equal({ session: third, idleMs: 110 });
    third.isBusy = true;
    expect([table.findIdlest(), table.busy]).to.deep.equal([{ session: first, idleMs: 100 }, 2]);
    first.isBusy = true;
    expect(table.findIdlest()).to.equal(undefined);
  });

  it('removes only the given session', () => {
    const old = add('a');
    const young = add('a');
    table.remove(old);
    expect(table.find('a')).to.equal(young);
  });

  it('ends all sessions on close', async () => {
    const sessions = [add('a'), add('b')];
    await table.close();
    expect(sessions.map(({ hasEnded }) => hasEnded)).to.deep.equal([true, true]);
  });
});

describe('mintSessionId', () => {
  it('returns different ids of 128 bits', () => {
    const ids = new Set(Array.from({ length: 100 }, () => mintSessionId()));
    expect(ids.size).to.equal(100);
    for (const id of ids)
      expect(id)
        .to.match(/^[0-9a-f]{32}$/)
        .and.to.satisfy(isSessionId);
  });
});

describe('isSessionId', () => {
  const cases = [
    { id: 'a', expected: true },
    { id: '!~', expected: true },
    { id: 'x'.repeat(256), expected: true },
    { id: '', expected: false },
    { id: 'a b', expected: false },
    { id: 'ä', expected: false },
    { id: 'x'.repeat(257), expected: false },
  ];
  for (const { id, expected } of cases) {
    it(`returns ${expected} for ${JSON.stringify(id.slice(0, 10))} with ${id.length} characters`, () => {
      expect(isSessionId(id)).to.equal(expected);
    });
  }
});

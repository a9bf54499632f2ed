import type { StoredSession, SessionStore } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { StoredSessions } from '../../src/transparent/sessions/stored-sessions.ts';

const SESSION: StoredSession = { path: '/mcp', owner: undefined, revision: undefined };

/** A store with one session that records its lookups. */
class OneSession implements Pick<SessionStore, 'use' | 'find'> {
  readonly calls: string[] = [];
  session: StoredSession | undefined = SESSION;

  async use(): Promise<StoredSession | undefined> {
    this.calls.push('use');
    return this.session;
  }

  async find(): Promise<StoredSession | undefined> {
    this.calls.push('find');
    return this.session;
  }
}

describe('StoredSessions', () => {
  const open: StoredSessions[] = [];
  afterEach(() => {
    for (const sessions of open.splice(0)) sessions.close();
  });

  function openSessions(keptByStreams: boolean) {
    const store = new OneSession();
    const [ended, closed]: [string[], string[]] = [[], []];
    const notHere = (): never => expect.fail('not asked for here');
    const sessions = new StoredSessions({
      store: {
        use: () => store.use(),
        find: () => store.find(),
        begin: notHere,
        agree: notHere,
        end: notHere,
        ask: notHere,
        take: notHere,
        close: notHere,
      },
      ttlMs: 1,
      keptByStreams,
      end: async (id, path) => void ended.push(id + path),
      logger: createRecordingLogger(),
    });
    open.push(sessions);
    return { sessions, store, ended, closed, closeStream: () => void closed.push('stream') };
  }

  it('extends a session while its stream is open, when open streams keep sessions alive', async () => {
    const { sessions, store, closeStream, closed } = openSessions(true);
    const entered = await sessions.enter('a', undefined, closeStream);
    await eventually(() => expect(store.calls.length).to.be.greaterThan(2));
    expect(new Set(store.calls)).to.deep.equal(new Set(['use']));
    entered.leave();
    expect([sessions.size, closed]).to.deep.equal([0, []]);
  });

  it('reads the session of a stream without extending it, when open streams do not keep sessions alive, and ends both at expiry', async () => {
    const { sessions, store, ended, closed, closeStream } = openSessions(false);
    const entered = await sessions.enter('a', undefined, closeStream);
    await eventually(() => expect(store.calls.length).to.be.greaterThan(2));
    expect(new Set(store.calls)).to.deep.equal(new Set(['find']));
    expect(closed).to.deep.equal([]);
    store.session = undefined;
    await eventually(() => expect(ended).not.to.deep.equal([]));
    entered.leave();
    expect([closed[0], ended[0], sessions.size]).to.deep.equal(['stream', 'a/mcp', 0]);
  });

  it('extends a session while a message waits for its response, when open streams do not keep sessions alive', async () => {
    const { sessions, store } = openSessions(false);
    const entered = await sessions.enter('a', undefined);
    await eventually(() => expect(store.calls.length).to.be.greaterThan(2));
    expect(new Set(store.calls)).to.deep.equal(new Set(['use']));
    entered.leave();
  });
});

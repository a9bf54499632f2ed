import type { SessionStore, SessionStoreContext } from '@portolan/plugin-api';
import {
  createRecordingLogger,
  createTestContext,
  eventually,
  inTime,
  sessionStoreContract,
} from '@portolan/plugin-testing';
import { createClient } from '@redis/client';
import { expect } from 'chai';
import { findRedis, RedisServer } from '../../../test/support/redis-server.ts';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { redis } from '../src/index.ts';

const CONFIG = { prefix: 'portolan', timeout: '6s' };
const SESSION = { path: '/mcp', owner: '["https://issuer.example","ada"]', revision: undefined };

describe('session store kind redis', () => {
  let server: RedisServer;
  const opened: SessionStore[] = [];
  before(async function () {
    const program = await findRedis();
    if (program === undefined) skipSuite(this, 'needs redis-server');
    else server = await RedisServer.start(program);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  after(() => server?.stop());

  sessionStoreContract({
    name: 'redis',
    kind: redis,
    blocks: [CONFIG],
    addresses: {
      good: ['redis://localhost', 'redis://127.0.0.1:6379', 'redis://proxy@redis.example:6379/3'],
      bad: ['redis:', 'redis:///0', 'redis://u:p@h', 'redis://h/a', 'redis://h/0?a=1', 'redis://h/0#a'],
    },
    create: (context) => redis.create(CONFIG, context),
    address: () => server.address,
    outage: { begin: () => server.kill(), end: () => server.restart() },
  });

  async function open(change: Partial<SessionStoreContext> = {}, config = CONFIG): Promise<SessionStore> {
    const store = await redis.create(config, {
      ...createTestContext(),
      address: server.address,
      password: undefined,
      namespace: 'test',
      ttlMs: 60_000,
      ...change,
    });
    opened.push(store);
    return store;
  }

  it('rejects soon while Redis hangs, logs that once, and logs the recovery', async () => {
    const logger = createRecordingLogger();
    const store = await open({ logger }, { ...CONFIG, timeout: '1s' });
    await eventually(() => store.begin('hangs', SESSION));
    server.freeze();
    try {
      const refused = store.use('hangs').catch((thrown: unknown) => thrown);
      expect(await inTime('the answer', refused)).to.have.property('code', 'ERR_SESSIONS_UNAVAILABLE');
    } finally {
      server.thaw();
    }
    await eventually(async () => expect(await store.use('hangs')).to.deep.equal(SESSION));
    await server.kill();
    await eventually(() =>
      expect(logger.lines.map(({ message }) => message)).to.include('session store is unavailable'),
    );
    await server.restart();
    await eventually(() => store.begin('hangs', SESSION));
    await eventually(() =>
      expect(logger.lines.map(({ message }) => message)).to.deep.equal([
        'session store is unavailable',
        'session store is available again',
      ]),
    );
  });

  it('stores no session id, and no key without expiry', async () => {
    const store = await open({ namespace: 'secrets' });
    const client = await createClient({ url: server.address.href }).connect();
    try {
      const ofOthers = new Set(await client.keys('*')); // other tests use this server, too
      await store.begin('id-of-a-session', SESSION);
      await store.ask('id-of-a-session', 'n1', '{}');
      const keys = (await client.keys('*')).filter((key) => !ofOthers.has(key));
      expect(keys.join())
        .to.match(/^portolan:session:/)
        .and.not.include('id-of-a-session');
      for (const key of keys) expect(await client.pTTL(key), key).to.be.within(1, 60_000);
      // What somebody else has written there is no session.
      await client.hSet(keys.find((key) => !key.endsWith(':asked')) ?? '', 'session', '{"path":7}');
      expect(await store.use('id-of-a-session')).to.equal(undefined);
    } finally {
      client.destroy();
    }
  });

  it('connects with its password, and rejects at once when it is refused', async () => {
    const guarded = await RedisServer.start((await findRedis()) ?? '', ['--requirepass', 'right']);
    try {
      const store = await open({ address: guarded.address, password: 'right' });
      expect(await store.begin('a', SESSION)).to.equal(true);
      for (const password of ['wrong', undefined]) {
        const error: unknown = await open({ address: guarded.address, password }).catch(
          (thrown: unknown) => thrown,
        );
        expect(error).to.have.property('code', 'ERR_STORE_REFUSED');
        expect(String(error)).to.not.include('wrong');
      }
    } finally {
      await guarded.stop();
    }
  });
});

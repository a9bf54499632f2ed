import type { ProxyMiddleware } from '@portolan/plugin-api';
import { createRecordingLogger, createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { createClient } from '@redis/client';
import { expect } from 'chai';
import { findRedis, RedisServer } from '../../../test/support/redis-server.ts';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { rateLimit, type RateLimitConfig } from '../src/index.ts';
import { say } from './say.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast"}}';
const HOURLY = (maxTokens: number) => ({ maxTokens, refillPeriod: '1h' });

/** Timeout of the tests in which Redis is away. The other tests wait longer, since the machine may be busy. */
const SHORT = { timeout: '300ms' };

describe('rate limits in Redis', function () {
  this.timeout(180_000);
  let server: RedisServer;
  const logger = createRecordingLogger();
  const opened: ProxyMiddleware[] = [];

  before(async function () {
    const program = await findRedis();
    if (program === undefined) skipSuite(this, 'needs redis-server');
    else server = await RedisServer.start(program, ['--requirepass', 'hunter2']);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (limit) => await limit.close?.()));
    // With nothing in it.
    await server.kill();
    await server.restart();
  });
  after(async () => await server?.stop());

  async function open(
    limits: Partial<RateLimitConfig>,
    redis: Partial<NonNullable<RateLimitConfig['redis']>> = {},
    password = 'hunter2',
  ): Promise<ProxyMiddleware> {
    const config: RateLimitConfig = {
      methods: ['tools/call'],
      ...limits,
      redis: {
        address: server.address.href,
        password: 'REDIS,target=password',
        prefix: 'portolan',
        timeout: '20s',
        whenAway: 'refuse',
        ...redis,
      },
    };
    const limit = await rateLimit.create(config, createTestProxyContext({ logger, secret: () => password }));
    opened.push(limit);
    return limit;
  }

  async function askMany(limits: readonly ProxyMiddleware[], times: number): Promise<number> {
    const all = Array.from({ length: times }, (_, at) => say(limits[at % limits.length], CALL));
    return (await Promise.all(all)).filter((verdict) => verdict === undefined).length;
  }

  it('let no more calls pass through two proxies than through one', async () => {
    const limits = [await open({ global: HOURLY(50) }), await open({ global: HOURLY(50) })];
    expect(await askMany(limits, 400)).to.equal(50);
    expect(await say(limits[1], CALL)).to.have.nested.property('refuse.status', 429);
  });

  it('take tokens from all buckets of a call or from none, under concurrency', async () => {
    const limit = await open({ global: HOURLY(3), perUser: HOURLY(1) });
    const passed: boolean[] = [];
    for (const subject of ['ada', 'ada', 'bob', 'bob', 'eve', 'ian']) {
      passed.push((await say(limit, CALL, { subject, claims: {} })) === undefined);
    }
    expect(passed).to.deep.equal([true, false, true, false, true, false]);
  });

  it('never exceed the bucket size and its refill, by the clock of Redis', async () => {
    const limits = [0, 1].map(() => open({ global: { maxTokens: 5, refillPeriod: '200ms' } }));
    const both = await Promise.all(limits);
    const begun = performance.now();
    let passed = 0;
    let tooMany = 0;
    await eventually(async () => {
      passed += await askMany(both, 10);
      tooMany = Math.max(tooMany, passed - 5 - ((performance.now() - begun) * 5) / 200);
      expect(passed).to.be.at.least(20);
    });
    expect(tooMany).to.equal(0);
  });

  it('separate namespaces, contain no caller in their keys, and expire', async () => {
    const [one, other] = [
      await open({ perUser: HOURLY(1), namespace: 'a' }),
      await open({ perUser: HOURLY(1), namespace: 'b' }),
    ];
    const ada = { subject: 'ada', claims: { iss: 'https://id.example' } };
    expect([await say(one, CALL, ada), await say(other, CALL, ada)]).to.deep.equal([undefined, undefined]);
    expect(await say(one, CALL, ada)).not.to.equal(undefined);
    const client = createClient({ url: server.address.href, password: 'hunter2' });
    await client.connect();
    try {
      const keys = await client.keys('*');
      expect(keys).to.have.length(2);
      expect(keys.join(' ')).not.to.match(/ada|id\.example/);
      for (const key of keys) expect(await client.pTTL(key)).to.be.within(1, 3_600_000);
    } finally {
      client.destroy();
    }
  });

  const AWAY: readonly { readonly of: string; readonly begin: () => unknown; readonly end: () => unknown }[] =
    [
      { of: 'is killed', begin: () => server.kill(), end: () => server.restart() },
      { of: 'hangs', begin: () => server.freeze(), end: () => server.thaw() },
    ];
  for (const { of, begin, end } of AWAY) {
    it(`refuse with 503, or allow if configured, while Redis ${of}; log it once, and count again afterwards`, async () => {
      const refusing = await open({ global: HOURLY(1000) }, SHORT);
      const allowing = await open({ global: HOURLY(1000) }, { ...SHORT, whenAway: 'allow' });
      await eventually(async () => expect(await say(refusing, CALL)).to.equal(undefined));
      const before = logger.lines.length;
      await begin();
      for (let time = 0; time < 5; time += 1) {
        const error: unknown = await say(refusing, CALL).catch((thrown: unknown) => thrown);
        expect(error).to.include({ code: 'ERR_RATE_LIMIT_AWAY', status: 503, retryAfterSeconds: 1 });
        expect(await say(allowing, CALL)).to.equal(undefined);
      }
      const told = logger.lines.slice(before).filter(({ level }) => level === 'warn');
      expect(told.map(({ message }) => message)).to.deep.equal(
        Array(2).fill('rate limits cannot be counted'),
      );
      expect(JSON.stringify(told)).not.to.include('hunter2');
      await end();
      await eventually(async () => expect(await say(refusing, CALL)).to.equal(undefined));
    });
  }

  it('start without Redis, and count once it is available', async () => {
    await server.kill();
    const limit = await open({ global: HOURLY(1) }, SHORT);
    expect(await say(limit, CALL).catch((thrown: unknown) => thrown)).to.include({ status: 503 });
    await server.restart();
    await eventually(async () => expect(await say(limit, CALL)).to.equal(undefined));
    expect(await say(limit, CALL)).to.have.nested.property('refuse.status', 429);
  });

  it('fail to start when Redis refuses the login', async () => {
    const error: unknown = await open({ global: HOURLY(1) }, {}, 'wrong').catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'ERR_STORE_REFUSED' });
    expect(String(error)).not.to.include('wrong');
  });
});

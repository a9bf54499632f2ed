import type { ProxyMiddleware } from '@portolan/plugin-api';
import { createTestProxyContext, FakeClock, proxyMiddlewareContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { checkRateLimit } from '../src/check-rate-limit.ts';
import { type RateLimitConfig, rateLimit } from '../src/index.ts';
import { say } from './say.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast"}}';
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
const ONCE = { maxTokens: 1, refillPeriod: '1m' };
const REDIS = { address: 'redis://h', prefix: 'p', timeout: '1s', whenAway: 'refuse' } as const;
const FULL: RateLimitConfig = {
  perUser: { maxTokens: 1_000_000, refillPeriod: '1s' },
  methods: ['tools/call'],
};

proxyMiddlewareContract({
  name: 'rate-limit',
  kind: rateLimit,
  blocks: [
    { global: ONCE, methods: ['tools/call'] },
    { shared: ONCE, methods: ['*'] },
    {
      global: ONCE,
      methods: ['*'],
      redis: { ...REDIS, address: 'rediss://me@h:6380/3', password: 'R,target=x' },
    },
    { tools: [{ name: 'forecast', perUser: ONCE }], methods: ['tools/call'] },
  ],
  create: (context) => rateLimit.create(FULL, context),
  judged: [
    { from: 'client', text: CALL, becomes: 'passes' },
    { from: 'client', text: LIST, becomes: 'passes' },
  ],
});

describe('rate limit', () => {
  const clock = new FakeClock();
  async function limiter(config: Partial<RateLimitConfig>): Promise<ProxyMiddleware> {
    return await rateLimit.create(
      { methods: ['tools/call'], ...config },
      createTestProxyContext({ nowMs: clock.nowMs }),
    );
  }

  it('responds with 429 and the time until the next call, and nothing more', async () => {
    const limit = await limiter({ global: { maxTokens: 2, refillPeriod: '3s' } });
    expect(await say(limit, CALL)).to.equal(undefined);
    expect(await say(limit, CALL)).to.equal(undefined);
    expect(await say(limit, CALL)).to.deep.equal({
      refuse: {
        message: 'Rate limit exceeded',
        status: 429,
        code: 429,
        data: { retryAfterSeconds: 2 },
        headers: { 'Retry-After': '2' },
      },
    });
    clock.advance(1500);
    expect(await say(limit, CALL)).to.equal(undefined);
  });

  it('limits each caller separately, by issuer and subject', async () => {
    const limit = await limiter({ perUser: ONCE });
    const ada = { subject: 'ada', claims: { iss: 'https://a.example' } };
    const other = { subject: 'ada', claims: { iss: 'https://b.example' } };
    const callers = [ada, other, undefined, ada, other, undefined];
    const passed: boolean[] = [];
    for (const caller of callers) passed.push((await say(limit, CALL, caller)) === undefined);
    expect(passed).to.deep.equal([true, true, true, false, false, false]);
  });

  it('counts named tools in addition to all calls', async () => {
    const limit = await limiter({
      global: { maxTokens: 3, refillPeriod: '1m' },
      tools: [{ name: 'forecast', global: ONCE }],
    });
    const other = CALL.replace('forecast', 'other');
    const passed: boolean[] = [];
    // The second is refused by its tool, and so takes nothing out of the bucket of all.
    for (const text of [CALL, CALL, other, other, other]) passed.push((await say(limit, text)) === undefined);
    expect(passed).to.deep.equal([true, false, true, true, false]);
  });

  const METHODS: readonly { readonly methods: readonly string[]; readonly limits: readonly string[] }[] = [
    { methods: ['tools/call'], limits: ['tools/call'] },
    { methods: ['tools/list', 'tools/call'], limits: ['tools/call', 'tools/list'] },
    { methods: ['*'], limits: ['tools/call', 'tools/list', 'ping'] },
  ];
  for (const { methods, limits } of METHODS) {
    it(`counts ${limits.join(', ')} for ${methods.join(', ')}`, async () => {
      for (const method of ['tools/call', 'tools/list', 'ping']) {
        const limit = await limiter({ global: ONCE, methods });
        const text = `{"jsonrpc":"2.0","id":1,"method":"${method}"}`;
        await say(limit, text);
        expect((await say(limit, text)) !== undefined, method).to.equal(limits.includes(method));
      }
    });
  }

  it('counts no notification and no response', async () => {
    const limit = await limiter({ global: ONCE, methods: ['*'] });
    const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    for (const text of [NOTIFICATION, '{"jsonrpc":"2.0","id":1,"result":{}}']) {
      for (let time = 0; time < 3; time += 1) expect(await say(limit, text)).to.equal(undefined);
    }
  });

  it('counts a call without an id, because some servers run it', async () => {
    const limit = await limiter({ tools: [{ name: 'forecast', global: ONCE }] });
    const text = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"forecast"}}';
    expect(await say(limit, text)).to.equal(undefined);
    expect(await say(limit, text)).to.have.nested.property('refuse.status', 429);
    expect(await say(limit, CALL)).to.have.nested.property('refuse.status', 429);
  });

  it('matches a tool by the exact name in the call', async () => {
    const limit = await limiter({ tools: [{ name: '__proto__', global: ONCE }] });
    const text = CALL.replace('forecast', '__proto__');
    expect(await say(limit, text)).to.equal(undefined);
    expect(await say(limit, text)).not.to.equal(undefined);
    for (const name of ['1', 'null', '{}', '["__proto__"]']) {
      expect(await say(limit, CALL.replace('"forecast"', name))).to.equal(undefined);
    }
  });
});

describe('checkRateLimit', () => {
  const WRONG: readonly { readonly config: Partial<RateLimitConfig>; readonly places: readonly string[] }[] =
    [
      { config: {}, places: [''] },
      { config: { global: ONCE, shared: ONCE }, places: ['shared'] },
      { config: { perUser: { maxTokens: 1, refillPeriod: '0s' } }, places: ['perUser.refillPeriod'] },
      { config: { perUser: { maxTokens: 1, refillPeriod: '-1s' } }, places: ['perUser.refillPeriod'] },
      { config: { perUser: { maxTokens: 1, refillPeriod: '9000h' } }, places: ['perUser.refillPeriod'] },
      { config: { tools: [{ name: 'a' }] }, places: ['tools[0]'] },
      {
        config: {
          tools: [
            { name: 'a', global: ONCE },
            { name: 'a', perUser: ONCE },
          ],
        },
        places: ['tools[1].name'],
      },
      {
        config: { tools: [{ name: 'a', global: { maxTokens: 1, refillPeriod: '1us' } }] },
        places: ['tools[0].global.refillPeriod'],
      },
    ];
  for (const { config, places } of WRONG) {
    it(`reports problems at ${JSON.stringify(places)}: ${JSON.stringify(config)}`, () => {
      const problems = checkRateLimit({ methods: ['tools/call'], ...config });
      expect(problems.map(({ place }) => place)).to.deep.equal(places);
      expect(JSON.stringify(problems)).not.to.include('hunter2');
    });
  }
});

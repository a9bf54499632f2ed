import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { PolicyBench, urlOf, WAYS } from './support/policy-bench.ts';

const LIMITS =
  'perUser: { maxTokens: 3, refillPeriod: 1h }\ntools: [{ name: echo, global: { maxTokens: 2, refillPeriod: 1h } }]\n';

const call = (id: number, name = 'echo') => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { message: 'hello', a: 1, b: 2 } },
});

describe('portolan run --rate-limit-config', function () {
  this.timeout(120_000);
  let bench: PolicyBench;

  beforeEach(async () => {
    bench = await PolicyBench.open();
  });
  afterEach(async () => {
    await bench.close();
  });

  for (const way of WAYS) {
    it(`limits calls to a server over ${way}`, async () => {
      const file = await bench.write('limits.yaml', LIMITS);
      const url = await urlOf(await bench.run(way, `limited-${way}`, '--rate-limit-config', file));
      const client = await McpClient.connect(url);
      for (const id of [1, 2]) expect((await client.post(call(id))).status).to.equal(200);
      const refused = await client.post(call(3));
      expect([refused.status, refused.json.id, refused.json.error]).to.deep.equal([
        200,
        3,
        { code: 429, message: 'Rate limit exceeded', data: { retryAfterSeconds: 1800 } },
      ]);
      expect(refused.headers['retry-after']).to.equal('1800');
      expect((await client.post({ id: 4, method: 'tools/list' })).status).to.equal(200);
      expect((await client.post(call(5, 'get-sum'))).status).to.equal(200);
      expect((await client.post(call(6, 'get-sum'))).json.error.code).to.equal(429);
      await client.end();
    });
  }

  it('is part of plan, status, inspect and export, and applies with an exported file', async () => {
    const file = await bench.write(
      'limits.json',
      JSON.stringify({ global: { maxTokens: 1, refillPeriod: '1h' } }),
    );
    const flags = ['--rate-limit-config', path.relative(bench.root, file)];
    const plan = await bench.run('stdio', 'kept', ...flags, '--dry-run', '--format=json');
    const planned: { settings: { setting: string }[]; protections: string[] } = JSON.parse(plan.stdout);
    expect(planned.protections).to.include('how often it may be called');
    expect(planned.settings.find(({ setting }) => setting === 'rate_limit_config')).to.deep.include({
      value: { global: { maxTokens: 1, refillPeriod: '1h' } },
      by: '--rate-limit-config',
    });
    await urlOf(await bench.run('stdio', 'kept', ...flags));
    expect((await bench.portolan('status', 'kept')).stdout).to.match(
      /Protected:? +.*how often it may be called/,
    );
    const exported = path.join(bench.root, 'exported.json');
    await bench.portolan('export', 'kept', exported);
    const document: object = JSON.parse(await readFile(exported, 'utf8'));
    expect(document).to.deep.include({ rate_limit_config: { global: { maxTokens: 1, refillPeriod: '1h' } } });
    await bench.portolan('rm', 'kept');
    const url = await urlOf(await bench.portolan('run', '--from-config', exported));
    const client = await McpClient.connect(url);
    expect((await client.post(call(1))).status).to.equal(200);
    expect((await client.post(call(2))).json.error.code).to.equal(429);
    await client.end();
  });

  it('accepts the settings of other tools, also from their middleware chain alone', async () => {
    const config = { perUser: { maxTokens: 1, refillPeriod: '1h0m0s' } };
    const document = {
      name: 'foreign',
      image: 'acme/everything:1',
      transport: 'stdio',
      cmd_args: ['stdio'],
      isolate_network: false,
      rate_limit_namespace: 'team',
      middleware_configs: [
        { type: 'ratelimit', parameters: { namespace: 'team', server_name: 'foreign', config } },
      ],
    };
    const file = await bench.write('foreign.json', JSON.stringify(document));
    const url = await urlOf(await bench.portolan('run', '--trust', '--from-config', file));
    const client = await McpClient.connect(url);
    expect((await client.post(call(1))).status).to.equal(200);
    expect((await client.post(call(2))).json.error.code).to.equal(429);
    await client.end();
  });

  it('exits with status 2 for an invalid file and starts nothing', async () => {
    const faults: readonly (readonly [name: string, content: string, says: RegExp])[] = [
      ['broken.json', '{', /rate limits .*broken\.json.* cannot be used: it is no JSON/],
      ['broken.yaml', 'global: {\n', /rate limits .*broken\.yaml.* cannot be used: .*line/],
      ['list.json', '[]', /it is not a map/],
      ['empty.yaml', '{}\n', /empty\.yaml/],
      ['unknown.yaml', 'perCaller: { maxTokens: 1, refillPeriod: 1m }\n', /unknown\.yaml[\s\S]*perCaller/],
      [
        'bare.yaml',
        'perUser: { maxTokens: 1, refillPeriod: 60 }\n',
        /bare\.yaml[\s\S]*perUser\.refillPeriod/,
      ],
    ];
    for (const [name, content, says] of faults) {
      const file = await bench.write(name, content);
      const { status, stderr } = await bench.run('stdio', 'faulty', '--rate-limit-config', file);
      expect([status, stderr.match(says) === null ? stderr : ''], name).to.deep.equal([2, '']);
    }
    const absent = await bench.run('stdio', 'faulty', '--rate-limit-config', 'nowhere.yaml');
    expect(absent.status, absent.stderr).to.equal(2);
    expect((await bench.portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  });
});

describe('portolan run --rate-limit-config with Redis', function () {
  this.timeout(120_000);
  let redis: RedisServer;

  before(async function () {
    const program = await findRedis();
    if (program === undefined) skipSuite(this, 'needs redis-server');
    else redis = await RedisServer.start(program, ['--requirepass', 'hunter2']);
  });
  after(async () => await redis?.stop());

  it('counts calls of two proxies together', async () => {
    const variables = { PORTOLAN_SECRET_REDIS: 'hunter2' };
    const benches = [await PolicyBench.open(variables), await PolicyBench.open(variables)];
    try {
      const passed: number[] = [];
      for (const one of benches) {
        await one.portolan('secret', 'provider', 'environment');
        const file = await one.write(
          'limits.json',
          JSON.stringify({
            global: { maxTokens: 3, refillPeriod: '1h' },
            redis: { address: redis.address.href, password: 'REDIS,target=password' },
          }),
        );
        const client = await McpClient.connect(
          await urlOf(await one.run('stdio', 'twins', '--rate-limit-config', file)),
        );
        const answers = [await client.post(call(1)), await client.post(call(2))];
        passed.push(answers.filter(({ json }) => json?.error === undefined).length);
        await client.end();
      }
      expect(passed).to.deep.equal([2, 1]);
    } finally {
      for (const one of benches) await one.close();
    }
  });
});

import { readFile, rename, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Answer } from '../../../packages/proxy/test/support/http-client.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { PolicyBench, urlOf, WAYS } from './support/policy-bench.ts';

const call = (name: string, args: object = { message: 'ahoy' }, id: unknown = 2) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const yamlOf = (...policies: readonly string[]): string =>
  `version: "1.0"\ntype: cedarv1\ncedar:\n  policies:\n${policies.map((policy) => `    - '${policy}'\n`).join('')}`;

/** Returns true if Cedar denied a request. */
const isDenial = ({ status, json }: Answer): boolean => {
  expect(status).to.equal(200);
  return json?.error?.code === 403;
};

const ME = userInfo().username;
const POLICIES = yamlOf(
  `permit(principal == Client::"${ME}", action == Action::"call_tool", resource == Tool::"echo");`,
  'permit(principal, action == Action::"call_tool", resource == Tool::"get-sum") when { context has arg_a && context.arg_a.lessThan(decimal("5.0")) };',
  'permit(principal, action == Action::"get_prompt", resource);',
);

describe('portolan run --authz-config', function () {
  this.timeout(180_000);
  let bench: PolicyBench;
  beforeEach(async () => {
    bench = await PolicyBench.open();
  });
  afterEach(() => bench.close());

  async function toolsOf(client: McpClient): Promise<readonly string[]> {
    const { text } = await client.post({ id: 1, method: 'tools/list' });
    // A stream may contain notifications of the server before the response.
    const messages = text.startsWith('{')
      ? [text]
      : [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data = '']) => data);
    const answer = messages.map((message) => JSON.parse(message)).find(({ id }) => id === 1);
    const tools: readonly { readonly name: string }[] = answer.result.tools;
    return tools.map(({ name }) => name);
  }

  for (const way of WAYS) {
    it(`permits and denies calls, and authz why explains a denial: ${way}`, async () => {
      const file = await bench.write('authz.yaml', POLICIES);
      const started = await bench.run(way, 'judged', '--authz-config', file);
      const client = await McpClient.connect(await urlOf(started));

      expect(await toolsOf(client)).to.deep.equal(['echo']);
      expect((await client.post(call('echo'))).text).to.include('ahoy');
      expect((await client.post(call('get-sum', { a: 4, b: 1 }))).text).to.include('5');

      const denied = await client.post(call('get-sum', { a: 6, b: 1, password: 'hunter2' }, 'x'));
      const { denialId } = denied.json.error.data;
      expect([denied.status, denied.json]).to.deep.equal([
        200,
        { jsonrpc: '2.0', id: 'x', error: { code: 403, message: 'Unauthorized', data: { denialId } } },
      ]);
      const read = await client.post({ id: 3, method: 'resources/read', params: { uri: 'a:b' } });
      expect([read.status, read.json.error.code]).to.deep.equal([200, 403]);

      const why = await bench.portolan('authz', 'why', denialId);
      expect(why.stdout, why.stderr)
        .to.include(`${ME} was denied tools/call of Tool::"get-sum"`)
        .and.to.include('Closest is cedar.policies[1]')
        .and.to.include('context.arg_a.lessThan(decimal("5.0"))')
        .and.to.include('arg_a: "decimal(\\"6.0000\\")"')
        .and.not.to.include('hunter2');
      expect((await bench.portolan('status', 'judged')).stdout).to.include('what callers may do');
      await client.end();
    });
  }

  it('writes the denial with the ID that the client received to the audit log', async () => {
    const file = await bench.write('authz.yaml', POLICIES);
    const logFile = `${bench.root}/audit.jsonl`;
    const audit = await bench.write('audit.json', JSON.stringify({ logFile }));
    const started = await bench.run('stdio', 'audited', '--authz-config', file, '--audit-config', audit);
    const client = await McpClient.connect(await urlOf(started));
    const { json } = await client.post(call('get-env'));
    await eventually(async () => {
      const line = (await readFile(logFile, 'utf8')).split('\n').find((text) => text.includes('"get-env"'));
      expect(line).to.include(json.error.data.denialId).and.to.include('"outcome":"denied"');
    });
  });

  it('decides about each message of a batch, for servers that never receive a batch', async () => {
    const file = await bench.write(
      'authz.json',
      JSON.stringify({
        version: '1.0',
        type: 'cedarv1',
        cedar: { policies: ['permit(principal, action, resource == Tool::"echo");'] },
      }),
    );
    for (const way of ['stdio', 'http'] as const) {
      const url = await urlOf(await bench.run(way, `batch-${way}`, '--authz-config', file));
      const client = await McpClient.connect(url, { version: '2025-03-26' });
      const batch = JSON.stringify([call('echo', { message: 'ahoy' }, 1), call('get-sum', {}, 2)]);
      const { json } = await client.post(batch, { accept: 'application/json' });
      const byId = new Map(json.map((one: { id: unknown }) => [one.id, one]));
      expect(byId.get(1)).to.have.nested.property('result');
      expect(byId.get(2)).to.have.nested.property('error.code', 403);
    }
  });

  it('reloads its file; an invalid or missing file keeps the earlier policies, and status reports it', async () => {
    const file = await bench.write('authz.yaml', POLICIES);
    const client = await McpClient.connect(
      await urlOf(await bench.run('stdio', 'watched', '--authz-config', file)),
    );
    const isDenied = async (name: string): Promise<boolean> => isDenial(await client.post(call(name)));
    expect(await isDenied('get-env')).to.equal(true);

    // Editors replace a file like this.
    await bench.write('authz.new', yamlOf('permit(principal, action, resource == Tool::"get-env");'));
    await rename(`${bench.root}/authz.new`, file);
    await eventually(async () =>
      expect([await isDenied('get-env'), await isDenied('echo')]).to.deep.equal([false, true]),
    );

    await bench.write('authz.yaml', POLICIES.replace('permit', 'allow'));
    await eventually(async () => {
      expect((await bench.portolan('status', 'watched')).stdout).to.match(
        /cedar\.policies\[0\].*stay in force/,
      );
    });
    await rm(file);
    await eventually(async () => {
      expect((await bench.portolan('status', 'watched')).stdout).to.include('it is gone');
    });
    expect([await isDenied('get-env'), await isDenied('echo')]).to.deep.equal([false, true]);

    // Without the file, the value that was inlined at the start counts.
    expect((await bench.portolan('restart', 'watched')).status).to.equal(0);
    const again = await McpClient.connect(new URL(client.url));
    expect(isDenial(await again.post(call('echo')))).to.equal(false);
    expect(isDenial(await again.post(call('get-env')))).to.equal(true);
  });

  it('is part of plan and export, and applies with --from-config', async () => {
    const file = await bench.write('authz.yaml', POLICIES);
    const planned = await bench.portolan(
      'plan',
      '--format',
      'json',
      '--authz-config',
      file,
      'acme/everything:1',
    );
    expect(planned.status, planned.stderr).to.equal(0);
    const { settings, protections } = JSON.parse(planned.stdout);
    expect(protections).to.deep.equal(['what callers may do']);
    const found = settings.find(({ setting }: { setting: string }) => setting === 'authz_config');
    expect(found.value.cedar.policies).to.have.length(3);

    await urlOf(await bench.run('stdio', 'first', '--authz-config', file));
    const exported = `${bench.root}/exported.json`;
    await bench.portolan('export', 'first', exported);
    await bench.portolan('rm', 'first');
    await rm(file);
    const client = await McpClient.connect(
      await urlOf(await bench.portolan('run', '--from-config', exported)),
    );
    expect(await toolsOf(client)).to.deep.equal(['echo']);
    expect(isDenial(await client.post(call('get-env')))).to.equal(true);
  });

  it('fails before the start for an invalid file, and names the place', async () => {
    const files: readonly (readonly [name: string, content: string, says: RegExp])[] = [
      [
        'broken.yaml',
        POLICIES.replace('resource ==', 'resource =='.toUpperCase()),
        /broken\.yaml[\s\S]*authz_config\.cedar\.policies\[0\].*line 1, column \d+/,
      ],
      ['other.yaml', POLICIES.replace('cedarv1', 'opa'), /authz_config\.type/],
      [
        'none.yaml',
        'version: "1.0"\ntype: cedarv1\ncedar: { policies: [] }\n',
        /authz_config\.cedar\.policies/,
      ],
      ['more.yaml', `${POLICIES}unknown: 1\n`, /authz_config\.unknown/],
      ['half.json', '{"version":', /half\.json/],
      ['authz.toml', POLICIES, /authz\.toml/],
    ];
    for (const [name, content, says] of files) {
      await bench.write(name, content);
      const { status, stderr } = await bench.run('stdio', 'none', '--authz-config', name);
      expect(status, stderr).to.equal(2);
      expect(stderr).to.match(says);
    }
    const above = await bench.run('stdio', 'none', '--authz-config', '../authz.yaml');
    expect([above.status, above.stderr]).to.have.property('0', 2);
    expect((await bench.portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');

    await bench.write(
      'doubtful.yaml',
      yamlOf('permit(principal, action, resource) when { context.arg_n < 5 };'),
    );
    const doubtful = await bench.run('stdio', 'doubtful', '--authz-config', 'doubtful.yaml');
    expect(doubtful.stderr).to.match(/authz_config\.cedar\.policies\[0\].*expected Long but saw decimal/);
    expect(doubtful.status).to.equal(0);
  });
});

describe('portolan authz', function () {
  this.timeout(120_000);
  let bench: PolicyBench;
  before(async () => {
    bench = await PolicyBench.open();
    await bench.write('authz.yaml', POLICIES);
    await bench.write('bob.json', '{"sub":"bob"}');
    await bench.write('args.json', '{"a":4}');
  });
  after(() => bench.close());

  const rows: readonly (readonly [args: readonly string[], status: number])[] = [
    [['--claims', `{"sub":"${ME}"}`, '--tool', 'echo'], 0],
    [['--claims', 'bob.json', '--tool', 'echo'], 3],
    [['--claims', 'bob.json', '--tool', 'get-sum', '--args', 'args.json'], 0],
    [['--claims', 'bob.json', '--tool', 'get-sum', '--args', '{"a":5}'], 3],
    [['--claims', 'bob.json', '--prompt', 'any'], 0],
    [['--claims', 'bob.json', '--resource', 'file:///a'], 3],
    [['--claims', 'bob.json'], 2],
    [['--claims', 'bob.json', '--tool', 'a', '--prompt', 'b'], 2],
    [['--claims', '{}', '--tool', 'a'], 2],
    [['--claims', '{"sub"', '--tool', 'a'], 2],
    [['--claims', 'nowhere.json', '--tool', 'a'], 2],
    [['--claims', 'bob.json', '--tool', 'a', '--args', '[]'], 2],
    // The reader of an endless device stops at the maximum length of a claims file.
    [['--claims', '/dev/zero', '--tool', 'a'], 2],
    [['--tool', 'a'], 2],
  ];
  for (const [args, status] of rows) {
    it(`test ${args.join(' ')} exits with status ${status}`, async () => {
      const ended = await bench.portolan('authz', 'test', '--config', 'authz.yaml', ...args);
      expect(ended.status, ended.stderr + ended.stdout).to.equal(status);
    });
  }

  const ambiguous: readonly (readonly [args: readonly string[], says: string])[] = [
    [['--tool', 'get-sum', '--args', '{"a":5,"a":4}'], '--args: the member "a" occurs twice'],
    [
      ['--tool', 'get-sum', '--args', '{"a":4,"b":{"c":1,"\\u0063":2}}'],
      '--args: the member "c" occurs twice',
    ],
    [
      ['--tool', 'get-sum', '--args', `{"a":${'['.repeat(513)}${']'.repeat(513)}}`],
      '--args: it is nested deeper',
    ],
    [['--tool', 'get-sum', '--args', 'twice.json'], '--args: the member "a" occurs twice'],
    [['--tool', ''], '--tool: found an empty value'],
    [['--prompt', ''], '--prompt: found an empty value'],
    [['--resource', ''], '--resource: found an empty value'],
  ];
  for (const [args, says] of ambiguous) {
    it(`test refuses calls that the proxy would refuse: ${args.join(' ').slice(0, 60)}`, async () => {
      await bench.write('twice.json', '{"a":4,"a":5}');
      const given = ['--config', 'authz.yaml', '--claims', 'bob.json', ...args];
      const { status, stdout, stderr } = await bench.portolan('authz', 'test', ...given);
      expect(status, stderr + stdout).to.equal(2);
      expect(stderr).to.include(says);
      expect(stdout).to.equal('');
    });
  }

  it('test prints the deciding policies as JSON', async () => {
    const args = ['--config', 'authz.yaml', '--claims', 'bob.json', '--tool', 'echo', '--format', 'json'];
    const { stdout } = await bench.portolan('authz', 'test', ...args);
    const told = JSON.parse(stdout);
    expect(told).to.deep.include({ allowed: false });
    expect(told.because).to.deep.equal([
      'No policy permits it. Closest is cedar.policies[0].',
      'It is not about the principal Client::"bob".',
    ]);
  });

  it('why fails for an unknown ID', async () => {
    const { status, stderr } = await bench.portolan('authz', 'why', 'nobody');
    expect([status, stderr]).to.have.property('0', 1);
    expect(stderr).to.include('There is no denial with the id "nobody"');
  });
});

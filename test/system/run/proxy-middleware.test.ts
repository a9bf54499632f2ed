import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/custom-proxy-middleware');
const RULES = [
  { type: 'fixed-argument', parameters: { argument: 'message', value: 'the swordfish' } },
  { type: 'quiet-tools', parameters: { tools: ['get-'] } },
  { type: 'masked-word' },
];

describe('portolan run with middleware of a plugin', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-rules-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const config = {
      plugins: [host, path.join(EXAMPLE, 'house-rules.ts')],
      runtimes: { processes: { folder: path.join(root, 'servers'), programs } },
      proxyMiddleware: { 'masked-word': { word: 'swordfish' } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function runFile(config: object): Promise<Finished> {
    const file = path.join(root, 'rules.json');
    await writeFile(file, JSON.stringify({ additional_middleware_configs: RULES, ...config }));
    return await portolan('run', '--trust', '--from-config', file);
  }

  async function expectRules(started: Finished): Promise<void> {
    expect(started.status, started.stderr).to.equal(0);
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    const call = (name: string) => ({
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { message: 'the tuna' } },
    });
    const { text } = await client.post(call('echo'));
    expect(text).to.include('the ***').and.not.to.include('tuna').and.not.to.include('swordfish');
    const refused = await client.post(call('get-env'));
    expect([refused.status, refused.json.error.message]).to.deep.equal([
      200,
      'This tool is not for calling.',
    ]);
    await client.end();
  }

  it('applies the rules of the run config to a stdio server, also after a restart', async () => {
    const stdio = {
      name: 'notes',
      image: IMAGE,
      transport: 'stdio',
      cmd_args: ['stdio'],
      isolate_network: false,
    };
    const started = await runFile(stdio);
    await expectRules(started);
    const restarted = await portolan('restart', 'notes');
    expect(restarted.status, restarted.stderr).to.equal(0);
    await expectRules(started);
    const exported = path.join(root, 'exported.json');
    await portolan('export', 'notes', exported);
    expect(JSON.parse(await readFile(exported, 'utf8'))).to.deep.include({
      additional_middleware_configs: RULES,
    });
  });

  it('applies the rules to an HTTP server and to a remote', async () => {
    const http = {
      name: 'near',
      image: IMAGE,
      transport: 'streamable-http',
      cmd_args: ['streamableHttp'],
      isolate_network: false,
    };
    await expectRules(await runFile(http));
    const plain = await portolan(
      'run',
      '--isolate-network=false',
      '--name=plain',
      '--transport=streamable-http',
      IMAGE,
      '--',
      'streamableHttp',
    );
    const remote = { name: 'far', remote_url: plain.stdout.trim(), transport: 'streamable-http' };
    await expectRules(await runFile(remote));
  });

  it('starts nothing for an unknown kind or invalid parameters', async () => {
    const stdio = {
      name: 'notes',
      image: IMAGE,
      transport: 'stdio',
      cmd_args: ['stdio'],
      isolate_network: false,
    };
    const faults: readonly (readonly [rule: object, says: RegExp])[] = [
      [{ type: 'quiet-tool' }, /quiet-tool/],
      [{ type: 'authorization', parameters: {} }, /authorization/],
      [
        { type: 'quiet-tools', parameters: { tools: 'get-' } },
        /additional_middleware_configs\[0\]\.parameters\.tools/,
      ],
    ];
    for (const [rule, says] of faults) {
      const { status, stderr } = await runFile({ ...stdio, additional_middleware_configs: [rule] });
      expect(status, stderr).not.to.equal(0);
      expect(stderr).to.match(says);
    }
    expect((await portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  });
});

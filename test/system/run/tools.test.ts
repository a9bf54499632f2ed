import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const OVERRIDE = {
  toolsOverride: {
    echo: { name: 'repeat', description: 'Says it again' },
    'get-sum': { description: 'Adds' },
  },
};
const TOOLS = [
  '--tools',
  'repeat, get-sum',
  '--tools=toggle-simulated-logging',
  '--tools-override',
  'override.json',
];

describe('portolan run --tools --tools-override', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-tools-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const config = {
      plugins: [host],
      runtimes: { processes: { folder: path.join(root, 'servers'), programs } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    await writeFile(path.join(root, 'override.json'), JSON.stringify(OVERRIDE));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function run(name: string, transport: string, ...flags: readonly string[]): Promise<Finished> {
    const server = transport === 'stdio' ? 'stdio' : 'streamableHttp';
    return await portolan(
      'run',
      '--isolate-network=false',
      `--name=${name}`,
      `--transport=${transport}`,
      ...flags,
      IMAGE,
      '--',
      server,
    );
  }

  async function expectTools(started: Finished): Promise<void> {
    expect(started.status, started.stderr).to.equal(0);
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    const listed = await client.post({ id: 1, method: 'tools/list' });
    const tools: readonly { name: string; description: string; inputSchema: object }[] = answerIn(listed.text)
      .result.tools;
    expect(tools.map(({ name }) => name)).to.deep.equal(['repeat', 'get-sum', 'toggle-simulated-logging']);
    expect(tools.map(({ description }) => description).slice(0, 2)).to.deep.equal(['Says it again', 'Adds']);
    expect(tools[0]?.inputSchema).to.have.nested.property('properties.message');
    const call = async (name: string) =>
      await client.post({ id: 2, method: 'tools/call', params: { name, arguments: { message: 'ahoy' } } });
    expect((await call('repeat')).text).to.include('ahoy');
    for (const hidden of ['echo', 'get-env', 'nobody-has-this']) {
      const { status, json } = await call(hidden);
      expect([status, json.error], hidden).to.deep.equal([200, { code: -32602, message: 'tool not found' }]);
    }
    await client.end();
  }

  it('applies to a stdio server, after a restart, and with an export', async () => {
    const planned = await portolan('plan', '--format', 'json', '--transport=stdio', ...TOOLS, IMAGE);
    expect(planned.status, planned.stderr).to.equal(0);
    const { settings } = JSON.parse(planned.stdout);
    expect(settingOf(settings, 'tools_filter')).to.deep.equal([
      'repeat',
      'get-sum',
      'toggle-simulated-logging',
    ]);
    expect(settingOf(settings, 'tools_override')).to.deep.equal(OVERRIDE.toolsOverride);

    const started = await run('near', 'stdio', ...TOOLS);
    await expectTools(started);
    expect((await portolan('restart', 'near')).status).to.equal(0);
    await expectTools(started);
    expect((await portolan('status', 'near')).stdout).to.include('which tools clients see');

    const exported = path.join(root, 'exported.json');
    await portolan('export', 'near', exported);
    const { tools_filter, tools_override } = JSON.parse(await readFile(exported, 'utf8'));
    expect({ tools_filter, tools_override }).to.deep.equal({
      tools_filter: ['repeat', 'get-sum', 'toggle-simulated-logging'],
      tools_override: OVERRIDE.toolsOverride,
    });
    await portolan('rm', 'near');
    await expectTools(await portolan('run', '--from-config', exported));
  });

  it('applies to an HTTP server and to a remote', async () => {
    await expectTools(await run('near', 'streamable-http', ...TOOLS));
    const plain = await run('plain', 'streamable-http');
    const url = plain.stdout.trim();
    await expectTools(await portolan('run', '--name=far', ...TOOLS, url));
  });

  it('starts nothing for an invalid file or name', async () => {
    await writeFile(path.join(root, 'broken.json'), '{"toolsOverride":{"echo":{}}}');
    const faults: readonly (readonly [flags: readonly string[], says: RegExp])[] = [
      [['--tools', 'echo,,get-sum'], /--tools: found/],
      [['--tools-override', 'nowhere.json'], /nowhere\.json/],
      [['--tools-override', 'broken.json'], /broken\.json.*\n.*toolsOverride\.echo/],
      [['--tools', 'echo', '--tools-override', 'override.json'], /tools\[0\]/],
    ];
    for (const [flags, says] of faults) {
      const { status, stderr } = await run('none', 'stdio', ...flags);
      expect(status, stderr).to.equal(2);
      expect(stderr).to.match(says);
    }
    expect((await portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  });
});

/** Returns the JSON body of a response, or the data of the one event in a stream. */
/** Returns the response, also after notifications on a stream. */
function answerIn(text: string): { readonly result: { readonly tools: never } } {
  const events = [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data);
  return JSON.parse(text.startsWith('{') ? text : (events.find((data) => data.includes('"result"')) ?? ''));
}

function settingOf(settings: readonly { setting: string; value: unknown }[], name: string): unknown {
  return settings.find(({ setting }) => setting === name)?.value;
}

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, LAUNCHER, runPortolan } from '../../support/command-line.ts';
import {
  expectRecorded,
  readSession,
  type RecordedCommand,
  runOf,
} from '../../support/examples/recorded-session.ts';
import { isAlive } from '../../support/process-host/server-records.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const IDENTITY = { name: 'client', version: '1.0.0' };

interface Program {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** A client of an official library, with the process that it started. */
interface Connected {
  readonly client: {
    callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>;
    close(): Promise<void>;
  };
  readonly pid: () => number;
}

const CONNECTS: Readonly<Record<string, (program: Program) => Promise<Connected>>> = {
  'the official client': async (program) => {
    const client = new LegacyClient(IDENTITY);
    const transport = new LegacyTransport(program);
    await client.connect(transport);
    return { client, pid: () => transport.pid ?? Number.NaN };
  },
  'the next official client': async (program) => {
    const client = new ModernClient(IDENTITY, { versionNegotiation: { mode: 'auto' } });
    const transport = new ModernTransport(program);
    await client.connect(transport);
    return { client, pid: () => transport.pid ?? Number.NaN };
  },
};

/** Environment as the libraries pass it: strings only. */
function context(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || (name.startsWith('PORTOLAN_') && name !== 'PORTOLAN_DIST')
        ? []
        : [[name, value]],
    ),
  );
}

describe('terminal sessions in guides', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-recorded-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const file = path.join(root, 'portolan.json');
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    const flags = ['--isolate-network=false', '--transport=stdio', '--name=everything'];
    const { status, stderr } = await portolan('run', ...flags, IMAGE, '--', 'stdio');
    expect(status, stderr).to.equal(0);
  });
  after(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function take(steps: readonly RecordedCommand[]): Promise<void> {
    for (const step of steps) {
      const { args, stdin } = runOf(step);
      const input = stdin === undefined ? {} : { stdin };
      expectRecorded(step, await runPortolan(args, { cwd: root, env: environment, ...input }));
    }
  }

  it('portolan mcp › works as shown', async () => {
    await take(await readSession('guides/run/call-tools.md'));
    const logo = await readFile(path.join(root, 'logo.png'));
    expect(logo.subarray(1, 4).toString('latin1')).to.equal('PNG');
  });

  it('exit codes › are as the guide says', async () => {
    const ends = await Promise.all([
      portolan('mcp', 'call', 'everything', 'get-sum', 'a=2', 'b=3', '--format', 'json'),
      portolan('mcp', 'call', 'everything', 'get-resource-reference', 'resourceId=-1'),
      portolan('mcp', 'call', 'everything', 'get-sum', 'a=2'),
      portolan('mcp', 'tools', 'nobody'),
    ]);
    expect(ends.map(({ status }) => status)).to.deep.equal([0, 1, 2, 1]);
    const [asJson, failed] = ends;
    expect(JSON.parse(asJson.stdout)).to.have.nested.property('content[0].text', 'The sum of 2 and 3 is 5.');
    expect(failed.stdout).to.equal('');
    expect(failed.stderr).to.contain('resourceId');
  });

  for (const [title, connect] of Object.entries(CONNECTS)) {
    it(`proxy stdio › serves ${title}, and ends with the client`, async () => {
      const env = { ...context(), ...environment, PORTOLAN_DEFAULT_REGISTRY: 'off' };
      const server = { command: process.execPath, args: [LAUNCHER, 'proxy', 'stdio', 'everything'], env };
      const { client, pid } = await connect(server);
      const calls = Array.from({ length: 1000 }, (_, at) =>
        client.callTool({ name: 'echo', arguments: { message: `call ${at}` } }),
      );
      const texts = (await Promise.all(calls)).map((answer) => JSON.stringify(answer));
      texts.forEach((text, at) => expect(text).to.include(`"Echo: call ${at}"`));
      expect(isAlive(pid())).to.equal(true);
      const ended = pid();
      await client.close();
      await eventually(() => expect(isAlive(ended)).to.equal(false));
    });
  }

  it('docs/get-started/connect-your-editor.md › works as shown', async () => {
    await take(await readSession('get-started/connect-your-editor.md'));
    const file = path.join(root, '.cursor/mcp.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({ mcpServers: {} });
  });

  it('docs/guides/run/readme-lines.md › works as shown', async () => {
    const config = { mcpServers: { time: { command: 'uvx', args: ['mcp-server-time'] } } };
    await writeFile(path.join(root, 'mcp.json'), JSON.stringify(config));
    await take(await readSession('guides/run/readme-lines.md'));
  });

  // The last test, because it stops the workload.
  it('clients that only start servers › works as shown', async () => {
    await take(await readSession('guides/run/stdio-clients.md'));
    const file = path.join(root, 'config/Claude/claude_desktop_config.json');
    // After the workload was stopped, its entry is gone.
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({ mcpServers: {} });
  });
});

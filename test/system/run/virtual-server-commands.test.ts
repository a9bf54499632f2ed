import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const POLICIES = [
  'permit(principal, action == Action::"call_tool", resource in Server::"every");',
  'permit(principal, action == Action::"call_tool", resource == Tool::"own/get-sum");',
];

interface ToolOfMember {
  readonly name: string;
  readonly member: string;
  readonly own_name: string;
}

describe('commands for a virtual server', function () {
  this.timeout(240_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-desk-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    const authz = { version: '1.0', type: 'cedarv1', cedar: { policies: POLICIES } };
    await writeFile(path.join(root, 'authz.json'), JSON.stringify(authz));
    await done('run', '--isolate-network=false', '--name=every', '--transport=stdio', IMAGE, '--', 'stdio');
  });
  after(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await portolan(...args);
    expect(status, `portolan ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  }

  async function toolsOf(name: string): Promise<readonly ToolOfMember[]> {
    return JSON.parse(await done('mcp', 'tools', name, '--format', 'json')) as readonly ToolOfMember[];
  }

  it('virtual init prints the members file that plan and run use', async () => {
    const text = await done('virtual', 'init');
    expect(text).to.include('every: { workload: every }');
    const own = `{ run: "${IMAGE}", args: [stdio], transport: stdio, isolate_network: false, tools: [echo, get-sum] }`;
    await writeFile(path.join(root, 'desk.yaml'), `${text.trimEnd()}\n  own: ${own}\n`);

    const plan = await done('plan', '--members', 'desk.yaml');
    expect(plan).to.match(/every +workload every +running at http\S+ +\d+ tools, listed now/);
    expect(plan)
      .to.match(/every_echo +every\/echo/)
      .and.to.match(/own_get-sum +own\/get-sum/);
    expect(plan).to.match(/those of running workloads are about \d{3,} tokens/);

    await done('run', '--members', 'desk.yaml');
    await eventually(async () => {
      const tools = await toolsOf('desk');
      expect(tools.find(({ name }) => name === 'own_echo')).to.include({ member: 'own', own_name: 'echo' });
      expect(tools.find(({ name }) => name === 'every_echo')).to.include({
        member: 'every',
        own_name: 'echo',
      });
    });
    expect(await done('mcp', 'tools', 'desk')).to.match(/^NAME +MEMBER +ARGUMENTS +DESCRIPTION\n/);
  });

  it('status, list and logs show the members', async () => {
    await eventually(async () => {
      const text = await done('status', 'desk');
      expect(text).to.match(/every +available +\d+ +20\d\d-\d\d-\d\d +workload every/);
      expect(text).to.match(/own +available +2 +20\d\d-\d\d-\d\d +run acme\/everything:1/);
    });
    expect(await done('list')).to.include('virtual server, 2 members');
    const { members } = JSON.parse(await done('status', 'desk', '--format', 'json')) as {
      members: unknown[];
    };
    expect(members).to.have.lengthOf(2);
    expect(await done('logs', 'desk', '--member', 'own')).to.match(/stdio|Starting/i);
    expect(await done('logs', 'desk', '--member', 'every')).to.equal(await done('logs', 'every'));
    const { status, stderr } = await portolan('logs', 'desk');
    expect(status).to.equal(2);
    expect(stderr).to.include('--member with one of every, own');
    expect((await portolan('virtual', 'init')).stderr).to.include('desk is left out');
  });

  it('client setup keeps entries of members without a terminal, and removes them with the flag', async () => {
    const entries = async (): Promise<readonly string[]> => {
      const text = await readFile(path.join(root, '.cursor/mcp.json'), 'utf8');
      return Object.keys((JSON.parse(text) as { mcpServers: object }).mcpServers).toSorted();
    };
    const kept = await portolan('client', 'setup', 'cursor');
    expect(kept.stderr).to.include('cursor has entries for every, which desk serves as well');
    expect(await entries()).to.deep.equal(['desk', 'every']);
    const refused = await portolan('client', 'setup', 'cursor', '--remove-members=false');
    expect(refused.stderr).to.not.include('which desk serves');
    expect(await entries()).to.deep.equal(['desk', 'every']);
    const removed = await portolan('client', 'setup', 'cursor', '--remove-members');
    expect(removed.stderr).to.include('cursor has no entries any more for every');
    expect(await entries()).to.deep.equal(['desk']);
    await done('client', 'remove', 'cursor');
  });

  it('export and run --from-config keep the members', async () => {
    const file = path.join(root, 'exported.json');
    await done('export', 'desk', file);
    const { members } = JSON.parse(await readFile(file, 'utf8')) as { members: object };
    expect(Object.keys(members)).to.deep.equal(['every', 'own']);
    expect(await done('plan', '--from-config', file)).to.match(/own +run acme\/everything:1/);
    await done('rm', 'desk');
    await done('run', '--from-config', file);
    await eventually(async () => {
      const names = (await toolsOf('desk')).map(({ name }) => name);
      expect(names).to.include.members(['every_echo', 'own_get-sum']);
    });
    await done('rm', 'desk');
  });

  it('--tools and the audit log have the names of the members', async () => {
    const audit = ['--enable-audit', '--tools', 'every/echo,own/get-sum,own/nothing'];
    await done('run', '--members', 'desk.yaml', '--name', 'strict', ...audit);
    await eventually(async () => {
      const names = (await toolsOf('strict')).map(({ name }) => name);
      expect(names).to.deep.equal(['every_echo', 'own_get-sum']);
    });
    expect(await done('status', 'strict')).to.include('no tool of these names: "own/nothing"');
    await done('mcp', 'call', 'strict', 'every_echo', '--args', '{"message":"ahoy"}');
    await eventually(async () => {
      expect(await done('logs', 'strict', '--proxy')).to.include('every/echo');
    });
    await done('rm', 'strict');
  });

  it('authz test evaluates policies by member', async () => {
    const test = async (tool: string): Promise<number | undefined> =>
      (await portolan('authz', 'test', '--config', 'authz.json', '--claims', '{"sub":"ann"}', '--tool', tool))
        .status;
    expect(await test('every/echo')).to.equal(0);
    expect(await test('own/get-sum')).to.equal(0);
    expect(await test('own/echo')).to.equal(3);
    expect(await test('every_echo')).to.equal(3);
  });
});

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { eventually } from '@portolan/plugin-testing';
import type { Finished } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { removeWorkloads } from '../../support/user-folders.ts';
import { LockedUser, type TestTool } from './support/locked-user.ts';

const SEARCH: TestTool = {
  name: 'search',
  description: 'Searches code.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
};
const READ: TestTool = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } };

describe('portolan lock', function () {
  this.timeout(600_000); // The cases start a process for each command.
  let user: LockedUser;
  let file: string;

  before(async () => {
    user = await LockedUser.open(['own', 'other', 'third']);
    file = path.join(user.root, 'data/portolan/policies/own/portolan.lock');
  });
  after(async () => await user?.close());

  beforeEach(async () => {
    await user.define('own', { tools: [SEARCH, READ], instructions: 'Use it well.' });
  });
  afterEach(async () => await removeWorkloads(user.root, user.environment));

  const check = async (...args: readonly string[]): Promise<Finished> =>
    await user.portolan('lock', '--check', ...args);

  async function lockOwn(): Promise<string> {
    await user.run('own');
    await user.done('lock', 'own', '--yes');
    return await readFile(file, 'utf8');
  }

  async function change(...tools: readonly TestTool[]): Promise<void> {
    await user.define('own', { tools, instructions: 'Use it well.' });
  }

  /** Returns the process ids of test servers that are still alive. */
  async function liveServers(): Promise<readonly number[]> {
    const pids = (await readFile(path.join(user.root, 'pids'), 'utf8')).trim().split('\n').map(Number);
    return pids.filter((pid) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    });
  }

  it('locks a running workload behind its policies, and writes equal bytes again', async () => {
    await user.run('own', '--tools=read');
    const { status, stdout, stderr } = await user.portolan('lock', 'own', '--yes');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('+ tool search').and.include('Searches code.');
    const text = await readFile(file, 'utf8');
    expect(text).to.include('search:').and.include('source: registry.acme.example/tools:own');
    expect(text).to.not.include(user.root);
    expect(await check('own')).to.deep.include({ status: 0, stdout: 'own: as locked\n' });
    await user.done('lock', 'own', '--yes');
    expect(await readFile(file, 'utf8')).to.equal(text);
    const folder = await readdir(path.dirname(file));
    expect(folder.filter((name) => name.startsWith('definitions'))).to.deep.equal([]);
  });

  it('holds a changed tool until it is approved', async () => {
    const text = await lockOwn();
    await change({ ...SEARCH, description: 'Searches secret code.' }, READ, { ...READ, name: 'write' });
    const checked = await check('own', '--format', 'json');
    expect(checked.status, checked.stderr).to.equal(3);
    const [{ status, differences }] = JSON.parse(checked.stdout).workloads;
    expect(status).to.equal('differs');
    expect(differences.map((one: { name: string; class: string }) => [one.name, one.class])).to.deep.equal([
      ['search', 'held'],
      ['write', 'held'],
    ]);
    expect(differences[0].fields).to.deep.equal([
      { pointer: '/description', class: 'held', before: 'Searches code.', after: 'Searches secret code.' },
    ]);
    expect(await readFile(file, 'utf8')).to.equal(text);

    const diff = await user.portolan('lock', 'diff', 'own');
    expect(diff.status).to.equal(3);
    expect(diff.stdout).to.include('/description: Searches {+secret +}code.');

    const locked = await user.portolan('lock', 'own', '--yes');
    expect(locked.status).to.equal(3);
    expect(locked.stderr).to.include('portolan lock approve own');
    expect((await user.portolan('lock', 'diff', 'own')).stdout).to.include('own: 1 difference\n');

    expect((await user.portolan('lock', 'approve', 'own/none', '--yes')).status).to.equal(2);
    await user.done('lock', 'approve', 'own/search', '--yes');
    expect((await check('own')).status).to.equal(0);
  });

  it('approves everything of a workload, and takes approvals back', async () => {
    await lockOwn();
    await user.define('own', { tools: [READ], instructions: 'Obey.', version: '2' });
    expect((await check()).stdout)
      .to.include('- tool search (removed, note)')
      .and.include('~ instructions (changed, held)')
      .and.include('/version: [-1-]{+2+}');
    await user.done('lock', 'approve', 'own', '--yes');
    expect((await check('own')).status).to.equal(0);

    await user.done('lock', 'revoke', 'own/read');
    const revoked = await check('own');
    expect(revoked.status).to.equal(3);
    expect(revoked.stdout).to.include('+ tool read (added, held)');
    expect((await user.portolan('lock', 'revoke', 'own/read')).status).to.equal(2);
    await user.done('lock', 'own', '--yes');
    await user.done('lock', 'revoke', 'own');
    expect((await check('own')).status).to.equal(3);
  });

  it('reads a workload that does not run without a listener, and stops it again', async () => {
    await lockOwn();
    await user.done('stop', 'own');
    const before = JSON.parse(await user.done('list', '--all', '--format', 'json'));
    const checked = await check();
    expect(checked, checked.stderr).to.deep.include({ status: 0, stdout: 'own: as locked\n' });
    const after = JSON.parse(await user.done('list', '--all', '--format', 'json'));
    expect(after[0]).to.include({ status: 'stopped', url: '' });
    expect(after[0].port).to.equal(before[0].port);
    expect(await liveServers()).to.deep.equal([]);
    // The address of the workload works for its clients afterwards.
    await user.done('start', 'own');
    expect(await user.done('mcp', 'tools', 'own')).to.include('search');
  });

  it('serves two commands that read a stopped workload at once', async () => {
    await lockOwn();
    await user.done('stop', 'own');
    const results = await Promise.all([check('own'), check('own'), user.portolan('lock', 'own', '--yes')]);
    expect(
      results.map(({ status }) => status),
      results.map(({ stderr }) => stderr).join('\n'),
    ).to.deep.equal([0, 0, 0]);
    expect(await liveServers()).to.deep.equal([]);
  });

  it('does not start a workload without a lock for a comparison', async () => {
    await user.run('own');
    await user.done('stop', 'own');
    const started = await readFile(path.join(user.root, 'pids'), 'utf8');
    expect((await user.portolan('lock', 'diff')).status).to.equal(0);
    const named = await user.portolan('lock', 'diff', 'own');
    expect([named.status, named.stderr.includes('is not in the lock file')]).to.deep.equal([2, true]);
    expect(await readFile(path.join(user.root, 'pids'), 'utf8')).to.equal(started);
  });

  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    it(`leaves no server when ${signal} ends the command`, async () => {
      await lockOwn();
      await user.done('stop', 'own');
      await rm(path.join(user.root, 'hanging'), { force: true });
      await user.define('own', { tools: [], hangs: true });
      const command = user.begin('lock', '--check', 'own');
      await eventually(async () => await readFile(path.join(user.root, 'hanging'), 'utf8'), {
        withinMs: 30_000,
      });
      expect(await liveServers()).to.not.deep.equal([]);
      command.kill(signal);
      const { status } = await command.finished;
      expect(status).to.equal(signal === 'SIGINT' ? 130 : undefined);
      await eventually(async () => expect(await liveServers()).to.deep.equal([]), { withinMs: 20_000 });
      await change(SEARCH, READ);
      expect((await check('own')).status).to.equal(0);
    });
  }

  it('exits with status 1 when a workload cannot be checked', async () => {
    expect((await check()).status).to.equal(1);
    await user.run('own');
    const unlocked = await check('own');
    expect(unlocked.status).to.equal(1);
    expect(unlocked.stderr).to.include('is not in the lock file');
    await user.done('lock', 'own', '--yes');
    await writeFile(path.join(user.root, 'own.json'), '{"tools": "none"}');
    const broken = await check('own', '--format', 'json');
    expect(broken.status).to.equal(1);
    expect(JSON.parse(broken.stdout).workloads[0]).to.deep.include({ status: 'unchecked' });
    expect(broken.stdout).to.include('ERR_DEFINITIONS_UNREADABLE');
    await writeFile(file, 'version: 1\nbroken');
    expect((await check('own')).status).to.equal(1);
  });

  it('writes SARIF 2.1.0', async () => {
    await lockOwn();
    await change({ ...SEARCH, description: 'Searches <!-- obey -->\u200b code.' }, READ);
    const { status, stdout } = await check('own', '--format', 'sarif');
    expect(status).to.equal(3);
    const log = JSON.parse(stdout);
    expect(log.version).to.equal('2.1.0');
    const [{ tool, results, invocations }] = log.runs;
    expect(invocations).to.deep.equal([{ executionSuccessful: true }]);
    const ids = tool.driver.rules.map(({ id }: { readonly id: string }) => id);
    expect(results.map(({ ruleId }: { readonly ruleId: string }) => ruleId)).to.deep.equal([
      'drift/held',
      'drift/hidden-text',
      'drift/hidden-text',
    ]);
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      expect(ids[ruleIndex]).to.equal(ruleId);
      expect(level).to.equal('warning');
      expect(message.text).to.match(/^own: tool "search"/);
      expect(locations[0].physicalLocation.artifactLocation.uri).to.equal(
        'data/portolan/policies/own/portolan.lock',
      );
      expect(locations[0].logicalLocations[0].fullyQualifiedName).to.equal('own/search');
    }
  });

  it('shows hidden text, and passes no control characters to the terminal', async () => {
    await lockOwn();
    const attack = 'Searches \u001b[2J\u202e code.\u0007 \u{e0041}\u{e0042}';
    await change({ ...SEARCH, description: attack }, READ, { ...READ, name: 'c\u001b[2Jd\u200b' });
    for (const args of [['diff'], ['--check'], ['--check', '--format=json'], ['--check', '--format=sarif']]) {
      const { stdout, stderr } = await user.portolan('lock', ...args, 'own');
      // oxlint-disable-next-line no-control-regex -- these must not reach the terminal
      expect(stdout + stderr).to.not.match(/[\u0000-\u0009\u000b-\u001f\u200b\u202e\u{e0041}]/u);
    }
    const { stdout } = await user.portolan('lock', 'diff', 'own');
    expect(stdout).to.include('\\u202e').and.include('! hidden text in /description: 2 tag characters');
  });

  it('does not lock a new tool whose name looks like an approved one', async () => {
    await lockOwn();
    await change(SEARCH, READ, { ...READ, name: 're\u0430d' });
    const locked = await user.portolan('lock', 'own', '--yes');
    expect(locked.status).to.equal(3);
    expect(locked.stdout).to.include('its name looks like the approved name read');
  });

  it('asks, and changes nothing without a terminal or --yes', async () => {
    await user.run('own');
    const { status, stdout, stderr } = await user.portolan('lock', 'own');
    expect(status).to.equal(2);
    expect(stdout).to.include('Searches code.');
    expect(stderr).to.include('add --yes');
    expect(await readdir(path.dirname(file))).to.not.include('portolan.lock');
  });

  it('keeps both changes when two commands write one file at once', async () => {
    const shared = path.join(user.root, 'shared.lock');
    const names = ['own', 'other', 'third'];
    for (const name of names) {
      await user.define(name, { tools: [READ] });
      await user.run(name, `--lock=${shared}`);
    }
    const results = await Promise.all(names.map((name) => user.portolan('lock', name, '--yes')));
    expect(results.map(({ status }) => status)).to.deep.equal([0, 0, 0]);
    const { status, stdout } = await check();
    expect(stdout.trim().split('\n').toSorted()).to.deep.equal([
      'other: as locked',
      'own: as locked',
      'third: as locked',
    ]);
    expect(status).to.equal(0);
  });

  it('locks the tools of a virtual server by the names of its members, and refuses one whose member is unavailable', async () => {
    await user.run('own');
    await writeFile(path.join(user.root, 'desk.yaml'), 'members: { own: { workload: own } }\n');
    await user.done('run', '--members=desk.yaml', '--name=desk');
    const locked = await user.portolan('lock', 'desk', '--yes');
    expect(locked.status, locked.stderr).to.equal(0);
    expect(locked.stdout).to.include('+ tool own/search (added, held)');
    const again = await check('desk');
    expect(again.status, again.stdout).to.equal(0);
    await user.done('stop', 'desk');
    expect((await check('desk')).status).to.equal(0);
    await user.done('stop', 'own');
    const unchecked = await check('desk', '--start-timeout=5s');
    expect(unchecked.status).to.equal(1);
    expect(unchecked.stderr).to.include('its member own is unavailable');
  });

  it('approves on a terminal after it has shown the whole change', async function () {
    CommandOnTerminal.require(this);
    await user.run('own');
    const { environment: env, root: cwd } = user;
    const declined = new CommandOnTerminal(['lock', 'own'], { cwd, env });
    await declined.shown(/Approve what is new in own\? \[y\/N\]/);
    declined.answer('');
    expect((await declined.finished).status).to.equal(1);
    expect(await readdir(path.dirname(file))).to.not.include('portolan.lock');

    const accepted = new CommandOnTerminal(['lock', 'own'], { cwd, env });
    await accepted.shown(/Approve what is new in own/);
    accepted.answer('y');
    const { status, screen } = await accepted.finished;
    expect(status, screen).to.equal(0);
    expect(screen).to.include('portolan restart own');
    await change({ ...SEARCH, description: 'Searches secret code.' }, READ);
    const marked = new CommandOnTerminal(['lock', 'diff', 'own'], { cwd, env });
    expect((await marked.finished).screen).to.include('\u001b[32;4msecret \u001b[0m');
  });
});

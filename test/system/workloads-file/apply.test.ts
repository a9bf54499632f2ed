import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Finished, RunningPortolan } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { TOOL_PROGRAM } from '../run/support/tool-program.ts';

const SOON = { withinMs: 60_000 };

interface PlannedDocument {
  readonly name: string;
  readonly groups: readonly string[];
  readonly workloads: readonly {
    readonly name: string;
    readonly action: string;
    readonly url?: string;
    readonly changes: readonly { readonly setting: string }[];
    readonly error?: { readonly code: string };
    readonly plan?: { readonly settings: readonly { readonly setting: string; readonly value: unknown }[] };
  }[];
}

describe('apply', function () {
  this.timeout(300_000);
  let user: WorkloadUser;
  let folder: string;
  /** Random part of the names, because other tests use the same engine. */
  let id: string;

  before(async function () {
    user = await WorkloadUser.open(this);
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-apply-'));
    await writeFile(path.join(folder, 'tool.js'), TOOL_PROGRAM);
  });
  beforeEach(() => {
    id = randomBytes(4).toString('hex');
  });
  afterEach(async () => await user.removeLeft());
  after(async () => {
    await user?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const DEFAULTS = {
    transport: 'stdio',
    permission_profile: 'none',
    args: ['node', '/srv/tool.js'],
    volumes: ['./tool.js:/srv/tool.js:ro'],
  };
  const server = (who: string, more: object = {}): object => ({
    run: 'portolan-test/node',
    env: { WHO: who },
    ...more,
  });

  async function write(workloads: Readonly<Record<string, object>>): Promise<string> {
    const file = path.join(folder, `${id}.json`);
    const named = Object.entries(workloads).map(([name, workload]) => [`${name}-${id}`, workload]);
    const document = { name: `desk-${id}`, defaults: DEFAULTS, workloads: Object.fromEntries(named) };
    await writeFile(file, JSON.stringify(document));
    return file;
  }

  function parse({ stdout }: Pick<Finished, 'stdout'>): PlannedDocument {
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    return JSON.parse(stdout) as PlannedDocument;
  }

  function actionsOf({ workloads }: PlannedDocument): Readonly<Record<string, string>> {
    return Object.fromEntries(workloads.map(({ name, action }) => [name.replace(`-${id}`, ''), action]));
  }

  async function apply(file: string, ...flags: readonly string[]): Promise<Finished> {
    return await user.portolan(['apply', '-f', file, '--yes', '--format', 'json', ...flags]);
  }

  async function applied(file: string, ...flags: readonly string[]): Promise<PlannedDocument> {
    const finished = await apply(file, ...flags);
    expect(finished.status, finished.stderr).to.equal(0);
    return parse(finished);
  }

  /** Returns when the supervisor of each workload began, which shows whether it was restarted. */
  async function supervisors(): Promise<Readonly<Record<string, number>>> {
    const names = (await user.list()).map(({ name }) => name);
    const entries = names.map(async (name) => {
      const file = path.join(user.root, 'data/portolan/statuses', `${name}.json`);
      // SAFETY: Portolan writes the file. A test that reads a missing field fails.
      const state = JSON.parse(await readFile(file, 'utf8')) as { readonly process_id: number };
      return [name.replace(`-${id}`, ''), state.process_id] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async function answerOf(workload: string): Promise<string> {
    return (await user.done('mcp', 'call', `${workload}-${id}`, 'say')).trim();
  }

  it('apply › creates, keeps, replaces and prunes workloads, and restarts only what changed', async () => {
    const group = `group-${id}`;
    await user.run(
      `--name=stranger-${id}`,
      '--transport=stdio',
      ...mount(),
      'portolan-test/node',
      ...PROGRAM,
    );
    const first = await write({
      one: server('one'),
      two: server('two', { group }),
      gone: server('gone', { volumes: [...DEFAULTS.volumes, `volume://vol-${id}:/data`] }),
      all: { member_group: group },
    });
    const created = await applied(first);
    expect(created.groups).to.deep.equal([group]);
    expect(actionsOf(created)).to.deep.equal({ one: 'create', two: 'create', gone: 'create', all: 'create' });
    expect(await answerOf('one')).to.match(/^one say /);
    expect(await user.done('mcp', 'call', `all-${id}`, `two-${id}_say`)).to.match(/^two say /);
    const labelled = await user.runtime.listContainers({
      'portolan.dev/applied-by': `desk-${id}`,
      'portolan.dev/name': `one-${id}`,
    });
    expect(labelled).not.to.deep.equal([]);
    const before = await supervisors();

    expect(actionsOf(await applied(first))).to.deep.equal({
      one: 'keep',
      two: 'keep',
      gone: 'keep',
      all: 'keep',
    });
    expect(await supervisors()).to.deep.equal(before);
    expect((await user.portolan(['diff', '-f', first])).status).to.equal(0);

    const second = await write({ one: server('uno'), two: server('two'), all: { member_group: group } });
    const differs = await user.portolan(['diff', '-f', second, '--format', 'json']);
    expect(differs.status, differs.stderr).to.equal(3);
    expect(actionsOf(parse(differs))).to.deep.equal({
      one: 'replace',
      two: 'keep',
      all: 'keep',
      gone: 'remove',
    });
    expect(parse(differs).workloads[0]?.changes.map(({ setting }) => setting)).to.deep.equal([
      'env_vars.WHO',
    ]);
    expect(differs.stdout).not.to.include('uno');
    expect(actionsOf(await applied(second))).to.deep.equal({
      one: 'replace',
      two: 'keep',
      all: 'keep',
      gone: 'leave',
    });
    expect(await answerOf('one')).to.match(/^uno say /);
    const { one: restarted, ...others } = await supervisors();
    const { one: former, ...earlier } = before;
    expect(restarted).not.to.equal(former);
    expect(others).to.deep.equal(earlier);
    // The file no longer names the group, and the workload stays in it.
    expect((await user.list()).find(({ name }) => name === `two-${id}`)?.group).to.equal(group);

    expect(actionsOf(await applied(second, '--prune'))['gone']).to.equal('remove');
    const names = (await user.list()).map(({ name }) => name).toSorted();
    expect(names).to.deep.equal([`all-${id}`, `one-${id}`, `stranger-${id}`, `two-${id}`]);
    const volumes = (await user.runtime.listVolumes?.({})) ?? [];
    expect(volumes.map((volume) => volume.name)).to.include(`vol-${id}`);
    await user.runtime.removeVolume?.(`vol-${id}`);
    await user.done('rm', '--all');
    await user.done('group', 'rm', group);
  });

  it('apply › continues after a failure, and starts the earlier workload again', async () => {
    await applied(await write({ one: server('one'), two: server('two') }));
    const file = await write({
      one: server('uno', { args: ['node', '/srv/absent.js'] }),
      two: server('dos'),
      three: server('three', { secrets: ['absent-secret,target=KEY'] }),
    });
    const finished = await apply(file);
    expect(finished.status).to.equal(1);
    const { workloads } = parse(finished);
    expect(workloads.map(({ error }) => error?.code)).to.deep.equal([
      'ERR_SERVER_ENDED',
      undefined,
      'ERR_SECRET_NOT_FOUND',
    ]);
    expect(await answerOf('one')).to.match(/^one say /);
    expect(await answerOf('two')).to.match(/^dos say /);
    expect((await user.list()).map(({ name }) => name).toSorted()).to.deep.equal([`one-${id}`, `two-${id}`]);
    expect((await user.portolan(['diff', '-f', file])).status).to.equal(1);
  });

  it('apply › starts a stopped workload, and leaves workloads of another file alone', async () => {
    const file = await write({ one: server('one') });
    await applied(file);
    await user.done('stop', `one-${id}`);
    expect((await user.portolan(['diff', '-f', file])).status).to.equal(3);
    expect(actionsOf(await applied(file))).to.deep.equal({ one: 'start' });
    const other = path.join(folder, `other-${id}.json`);
    const workloads = { [`one-${id}`]: server('other') };
    await writeFile(other, JSON.stringify({ name: `other-${id}`, defaults: DEFAULTS, workloads }));
    const refused = await apply(other, '--prune');
    expect(refused.status).to.equal(1);
    expect(parse(refused).workloads.map(({ error }) => error?.code)).to.deep.equal(['ERR_WORKLOAD_EXISTS']);
    expect(await answerOf('one')).to.match(/^one say /);
  });

  it('apply › never prunes a workload that existed before the file', async () => {
    await user.run(
      `--name=one-${id}`,
      '--transport=stdio',
      '-eWHO=old',
      ...mount(),
      'portolan-test/node',
      ...PROGRAM,
    );
    expect(actionsOf(await applied(await write({ one: server('new'), two: server('two') })))).to.deep.equal({
      one: 'replace',
      two: 'create',
    });
    expect(actionsOf(await applied(await write({ two: server('two') }), '--prune'))).to.deep.equal({
      two: 'keep',
    });
    expect(await answerOf('one')).to.match(/^new say /);
  });

  it('apply › creates each workload once when two commands run at the same time', async () => {
    const file = await write({ one: server('one'), two: server('two') });
    const [first, second] = await Promise.all([apply(file), apply(file)]);
    expect([first.status, second.status], first.stderr + second.stderr).to.deep.equal([0, 0]);
    const actions = [parse(first), parse(second)]
      .map((one) => Object.values(actionsOf(one)).join(' '))
      .toSorted();
    expect(actions).to.deep.equal(['create create', 'keep keep']);
    expect(await answerOf('two')).to.match(/^two say /);
  });

  it('apply › completes what a killed command began', async () => {
    const file = await write({ one: server('one'), two: server('two'), three: server('three') });
    const running = new RunningPortolan(['apply', '-f', file, '--yes'], {
      cwd: user.root,
      env: user.environment,
    });
    const statuses = path.join(user.root, 'data/portolan/statuses', `one-${id}.json`);
    await eventually(async () => void (await stat(statuses)), SOON);
    running.kill('SIGKILL');
    await running.finished;
    await applied(file);
    expect((await user.list()).map(({ status }) => status)).to.deep.equal(['running', 'running', 'running']);
    expect(await answerOf('three')).to.match(/^three say /);
    expect((await user.portolan(['diff', '-f', file])).status).to.equal(0);
  });

  it('apply › asks on a terminal, and refuses a file that was edited after the plan', async function () {
    CommandOnTerminal.require(this);
    const file = await write({ one: server('one') });
    const onTerminal = (): CommandOnTerminal =>
      new CommandOnTerminal(['apply', '-f', file], { cwd: user.root, env: user.environment });
    const declined = onTerminal();
    await declined.shown(/Apply this plan\?/);
    expect(declined.screen).to.include(`+ one-${id}: image portolan-test/node`);
    declined.answer('no');
    expect((await declined.finished).status).to.equal(1);
    const edited = onTerminal();
    await edited.shown(/Apply this plan\?/);
    await write({ one: server('one'), more: server('more') });
    edited.answer('yes');
    const { status, screen } = await edited.finished;
    expect(status, screen).to.equal(1);
    expect(screen).to.include('has changed since the plan was shown');
    expect(await user.list()).to.deep.equal([]);
    await write({ one: server('one') });
    const accepted = onTerminal();
    await accepted.shown(/Apply this plan\?/);
    accepted.answer('yes');
    expect((await accepted.finished).status).to.equal(0);
    expect(await answerOf('one')).to.match(/^one say /);
  });

  it('apply › runs a run config of another user only with consent to what the plan shows', async function () {
    CommandOnTerminal.require(this);
    const config = {
      image: 'portolan-test/node',
      transport: 'stdio',
      cmd_args: ['node', '/srv/tool.js'],
      volumes: [`${path.join(folder, 'tool.js')}:/srv/tool.js:ro`],
    };
    const file = await write({ one: { config } });
    const refused = await apply(file);
    expect(refused.status).to.equal(1);
    expect(parse(refused).workloads[0]?.error?.code).to.equal('ERR_CONSENT_NEEDED');
    expect(await user.list()).to.deep.equal([]);
    const command = new CommandOnTerminal(['apply', '-f', file], { cwd: user.root, env: user.environment });
    await command.shown(/Apply this plan\?/);
    expect(command.screen).to.include(`allows, as the file requests: read ${path.join(folder, 'tool.js')}`);
    command.answer('yes');
    expect((await command.finished).status).to.equal(0);
    expect(actionsOf(await applied(file))).to.deep.equal({ one: 'keep' });
    await user.done('rm', `one-${id}`);
    await applied(file, '--trust');
  });

  it('apply › uses the lock file next to the workloads file', async () => {
    const lock = path.join(folder, 'portolan.lock');
    const file = await write({ one: server('one'), own: server('own', { lock: './own.lock' }) });
    const locksOf = async (): Promise<readonly unknown[]> => {
      const planned = await user.portolan(['apply', '-f', file, '--dry-run', '--format', 'json']);
      expect(planned.status, planned.stderr).to.equal(0);
      return parse(planned).workloads.map(
        ({ plan }) => plan?.settings.find((one) => one.setting === 'lock_file')?.value,
      );
    };
    expect(await locksOf()).to.deep.equal([lock, path.join(folder, 'own.lock')]);
    await applied(file);
    await user.done('lock', `one-${id}`, '--yes');
    expect(await readFile(lock, 'utf8')).to.include(`one-${id}:`);
    expect(actionsOf(await applied(file))).to.deep.equal({ one: 'keep', own: 'keep' });
    // The lock file holds back a tool that the user has not approved.
    await applied(await write({ one: server('one', { env: { WHO: 'one', TOOLS: 'say,steal' } }) }));
    expect(await user.done('mcp', 'tools', `one-${id}`))
      .to.include('say')
      .and.not.to.include('steal');
    await rm(lock);
    await rm(`${lock}.d`, { recursive: true });
  });

  it('apply › changes nothing with --dry-run, without a confirmation, and for an invalid file', async () => {
    const file = await write({ one: server('one') });
    const planned = await user.portolan(['apply', '-f', file, '--dry-run', '--format', 'json']);
    expect(planned.status, planned.stderr).to.equal(0);
    expect(actionsOf(parse(planned))).to.deep.equal({ one: 'create' });
    const unconfirmed = await user.portolan(['apply', '-f', file]);
    expect(unconfirmed.status).to.equal(2);
    expect(unconfirmed.stderr).to.include('this command needs a confirmation');
    const invalid = await write({ one: { run: 'portolan-test/node', volums: [] }, two: {} });
    const refused = await apply(invalid);
    expect(refused.status).to.equal(2);
    expect(refused.stderr).to.include(
      `workloads.one-${id}.volums: found an unknown key; did you mean volumes?`,
    );
    expect(refused.stderr).to.include(`workloads.two-${id}: found none of`);
    expect(await user.list()).to.deep.equal([]);
  });

  it('export --all › writes a file that describes the workloads completely', async () => {
    await writeFile(path.join(folder, 'audit.json'), JSON.stringify({ enabled: true }));
    await applied(
      await write({
        one: server('one', { tools: ['say'], group: `group-${id}` }),
        two: server('two', { audit_config: './audit.json' }),
      }),
    );
    await user.run(`--name=own-${id}`, '--transport=stdio', ...mount(), 'portolan-test/node', ...PROGRAM);
    const file = path.join(folder, `all-${id}.yaml`);
    await user.done('export', '--all', file);
    expect((await stat(file)).mode % 0o1000).to.equal(0o600);
    const text = await readFile(file, 'utf8');
    expect(text)
      .to.include(`name: desk-${id}\n`)
      .and.to.match(/^ {4}run: portolan-test\/node$/m);
    expect(text).to.match(/^ {4}config:$/m);
    expect((await user.portolan(['diff', '-f', file])).status).to.equal(0);
    await user.done('rm', '--all');
    await user.done('group', 'rm', `group-${id}`);
    expect(actionsOf(await applied(file))).to.deep.equal({ one: 'create', own: 'create', two: 'create' });
    expect(await answerOf('two')).to.match(/^two say /);
    await user.done('rm', '--all');
    await user.done('group', 'rm', `group-${id}`);
    await user.removeFiles('data/portolan/statuses/empty');
    await user.expectNoTraces();
  });

  const PROGRAM = ['--', 'node', '/srv/tool.js'];
  const mount = (): readonly string[] => [
    '--permission-profile=none',
    `-v${path.join(folder, 'tool.js')}:/srv/tool.js:ro`,
  ];
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';

const QUESTION = /Allow it\? \[y\]es, once \/ \[a\]lways for this file \/ \[n\]o \(default: no\)/;
const LINE = 'reaches every address, without isolation';

describe('consent of the user', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async function () {
    CommandOnTerminal.require(this);
    root = await mkdtemp(path.join(tmpdir(), 'portolan-consent-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const plugin = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { 'acme/everything:1': [process.execPath, EVERYTHING] };
    const processes = { folder: path.join(root, 'servers'), programs };
    const config = path.join(root, 'portolan.json');
    await writeFile(config, JSON.stringify({ plugins: [plugin], runtimes: { processes } }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: config, PORTOLAN_RUNTIME: 'processes' };
    await writeFile(
      path.join(root, 'stranger.json'),
      JSON.stringify({
        name: 'every',
        image: 'acme/everything:1',
        transport: 'stdio',
        cmd_args: ['stdio'],
        isolate_network: false,
      }),
    );
  });
  afterEach(async () => {
    if (root === undefined) return;
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const RUN = ['run', '--from-config', 'stranger.json'];
  const onTerminal = (...args: readonly string[]): CommandOnTerminal =>
    new CommandOnTerminal(args, { cwd: root, env: environment });
  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });
  const expectNothing = async (): Promise<void> => {
    expect((await portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  };

  for (const { title, answer } of [
    { title: 'no', answer: 'n' },
    { title: 'Enter alone', answer: '' },
    { title: 'anything else', answer: 'yess' },
  ]) {
    it(`runs nothing when the user responds ${title}`, async () => {
      const command = onTerminal(...RUN);
      await command.shown(QUESTION);
      expect(command.screen).to.match(/The file \S*stranger\.json asks for:\n {2}isolation\n/);
      expect(command.screen).to.include(LINE);
      command.answer(answer);
      const { status, screen } = await command.finished;
      expect(status, screen).to.equal(1);
      expect(screen).to.include('was not granted');
      await expectNothing();
    });
  }

  it('runs nothing when the user presses Ctrl-C', async () => {
    const command = onTerminal(...RUN);
    await command.shown(QUESTION);
    command.pressCtrlC();
    const { status, screen } = await command.finished;
    expect(status, screen).to.equal(130);
    await expectNothing();
  });

  it('runs once when the user enters y, and asks again at the next run', async () => {
    const command = onTerminal(...RUN);
    await command.shown(QUESTION);
    command.answer('y');
    const { status, screen } = await command.finished;
    expect(status, screen).to.equal(0);
    expect((await portolan('rm', 'every')).status).to.equal(0);
    expect((await portolan(...RUN)).status).to.equal(2);
  });

  it('asks no more when the user enters a, until the user revokes the consent', async () => {
    const command = onTerminal(...RUN);
    await command.shown(QUESTION);
    command.answer('a');
    expect((await command.finished).status, command.screen).to.equal(0);
    expect((await portolan('trust', 'list')).stdout)
      .to.include('stranger.json')
      .and.include(LINE);
    const again = await portolan(...RUN, '--replace');
    expect(again.status, again.stderr).to.equal(0);

    expect((await portolan('stop', 'every')).status).to.equal(0);
    expect((await portolan('trust', 'revoke', 'every')).status).to.equal(0);
    const silent = await portolan('start', 'every');
    expect(silent.status).not.to.equal(0);
    expect(silent.stderr).to.include(LINE);
    const start = onTerminal('start', 'every');
    await start.shown(QUESTION);
    start.answer('y');
    expect((await start.finished).status, start.screen).to.equal(0);
    expect((await portolan('restart', 'every')).status).to.equal(0);
  });

  it('asks before a restart stops a workload whose consent is revoked', async () => {
    expect((await portolan(...RUN, '--trust')).status).to.equal(0);
    expect((await portolan('trust', 'revoke', 'every')).status).to.equal(0);
    const silent = await portolan('restart', 'every');
    expect(silent.status).to.equal(2);
    expect(silent.stderr).to.include(LINE);
    expect((await portolan('status', 'every')).stdout).to.match(/running/);
    const restart = onTerminal('restart', 'every');
    await restart.shown(QUESTION);
    restart.answer('n');
    expect((await restart.finished).status, restart.screen).not.to.equal(0);
    expect((await portolan('status', 'every')).stdout).to.match(/running/);
    expect((await portolan('restart', 'every', '--trust')).status).to.equal(0);
  });

  it('exits with status 2 without a terminal, and prints the grants on standard error and as JSON', async () => {
    const text = await portolan(...RUN);
    expect([text.status, text.stdout]).to.deep.equal([2, '']);
    expect(text.stderr).to.include(LINE).and.include('--trust');
    const json = await portolan(...RUN, '--format', 'json');
    expect(json.status).to.equal(2);
    expect(JSON.parse(json.stdout)).to.deep.equal({
      code: 'ERR_CONSENT_NEEDED',
      grants: [{ kind: 'isolation', line: LINE, subject: 'network isolation', setting: 'isolate_network' }],
    });
    expect(json.stderr).to.include(LINE);
    await expectNothing();
  });

  it('accepts and prints the grants with --trust', async () => {
    const trusted = await portolan(...RUN, '--trust');
    expect(trusted.status, trusted.stderr).to.equal(0);
    expect(trusted.stderr).to.include(`is allowed by --trust: ${LINE}`);
  });

  it('shows the grants in a plan, with the author of each setting', async () => {
    const { status, stdout } = await portolan('plan', '--from-config', 'stranger.json', '--format', 'json');
    expect(status).to.equal(0);
    const { grants, settings }: { grants: unknown; settings: readonly { readonly author: string }[] } =
      JSON.parse(stdout);
    expect(grants).to.have.nested.property('[0].line', LINE);
    expect(grants).to.have.nested.property('[0].accepted', false);
    expect(new Set(settings.map(({ author }) => author))).to.deep.equal(new Set(['file', 'portolan']));
  });
});

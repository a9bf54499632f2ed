import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { foldersBelow } from '../../support/user-folders.ts';

describe('a command on a terminal, when Ctrl-D ends its input', function () {
  this.timeout(120_000);
  let root: string;

  before(async function () {
    CommandOnTerminal.require(this);
    root = await mkdtemp(path.join(tmpdir(), 'portolan-ends-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
  });
  after(async () => {
    if (root !== undefined) await rm(root, { recursive: true, force: true });
  });

  const command = (...words: readonly string[]): CommandOnTerminal =>
    new CommandOnTerminal(words, { cwd: root, env: foldersBelow(root) });

  it('N15 › reports that no password was given', async () => {
    const setup = command('secret', 'provider', 'encrypted');
    await setup.shown(/New password for the secrets/);
    setup.pressCtrlD();
    const { status, screen } = await setup.finished;
    expect(screen).to.include('error: No password was given: the input ended.');
    expect(screen).to.include('PORTOLAN_SECRETS_PASSWORD').and.not.to.include('plugin');
    expect(status).to.equal(2);
  });

  it('N15 › reports that no choice was made', async () => {
    const setup = command('secret', 'setup');
    await setup.shown(/Which secret store/);
    setup.pressCtrlD();
    const { status, screen } = await setup.finished;
    expect(screen).to.include('error: No answer was given: the input ended.');
    expect(status).to.equal(2);
  });
});

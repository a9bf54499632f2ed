import { expect } from 'chai';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runPortolan } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { foldersBelow } from '../../support/user-folders.ts';

describe('an unknown command', function () {
  this.timeout(120_000);

  let root: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-offered-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
  });
  after(async () => {
    await rm(root, { recursive: true, force: true });
  });

  describe('on a terminal', () => {
    before(function () {
      CommandOnTerminal.require(this);
    });
    const command = (...words: readonly string[]): CommandOnTerminal =>
      new CommandOnTerminal(words, { cwd: root, env: foldersBelow(root) });

    it('runs the nearest command with the other arguments when the user confirms', async () => {
      const typed = command('confgi', 'get', 'nothing-of-this-name');
      await typed.shown(/Did you mean .*config get/);
      typed.pressEnter();
      const { status, screen } = await typed.finished;
      expect(screen).to.include('error: There is no setting "nothing-of-this-name".');
      expect(screen).to.not.include('unknown command');
      expect(status).to.equal(2);
    });

    it('runs the nearest command without arguments and exits with its status', async () => {
      const typed = command('versoin');
      await typed.shown(/Did you mean .*version/);
      typed.answer('y');
      const { status, screen } = await typed.finished;
      expect(screen).to.match(/portolan +\d+\.\d+/i);
      expect(status).to.equal(0);
    });

    it('fails with error and hint when the user declines', async () => {
      const typed = command('versoin');
      await typed.shown(/Did you mean .*version/);
      typed.answer('n');
      const { status, screen } = await typed.finished;
      expect(screen).to.include('error: unknown command "versoin"\nhint: did you mean `portolan version`?');
      expect(status).to.equal(2);
    });
  });

  it('fails with error and hint, without a question, when standard input is not a terminal', async () => {
    const { status, stdout, stderr } = await runPortolan(['versoin'], { cwd: root, env: foldersBelow(root) });
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr).to.equal('error: unknown command "versoin"\nhint: did you mean `portolan version`?\n');
  });
});

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  type RunningServer,
  startLegacyServer,
} from '../../../packages/proxy/test/support/conformance/http-servers.ts';
import { runPortolan } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { foldersBelow } from '../../support/user-folders.ts';

/** A call with a question that contains a sequence which clears the screen. */
const ASKING = ['test_elicitation', 'message=Who sails?\u001B[2J'];

describe('portolan mcp on a terminal', function () {
  this.timeout(600_000); // The cases start a process for each command.
  let root: string;
  let server: RunningServer;

  before(async function () {
    CommandOnTerminal.require(this);
    root = await mkdtemp(path.join(tmpdir(), 'portolan-mcp-terminal-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    server = await startLegacyServer();
  });
  after(async () => {
    if (server === undefined) return;
    await server.close();
    await rm(root, { recursive: true, force: true });
  });

  const call = (...words: readonly string[]): CommandOnTerminal =>
    new CommandOnTerminal(['mcp', 'call', server.url.href, ...words], {
      cwd: root,
      env: foldersBelow(root),
      columns: 80,
    });

  it('shows the progress of a call', async () => {
    const { status, screen } = await call('test_tool_with_progress').finished;
    expect({ status }, screen).to.deep.equal({ status: 0 });
    expect(screen).to.match(/50 of 100[^]*100 of 100/);
  });

  it('asks the questions of the server after the user agrees', async () => {
    const calling = call('test_elicitation_sep1034_defaults');
    await calling.shown(/asks:\n {2}Please review[^]*Answer it\? \[yes\/no\] /);
    calling.answer('yes');
    await calling.shown(/name \(User name; optional\) \[John Doe\]: /);
    calling.answer('Ada');
    await calling.shown(/age \([^)]*\) \[30\]: /);
    calling.answer('old');
    await calling.shown(/old[^]*age \([^)]*\) \[30\]: /);
    calling.answer('31');
    for (const field of ['score', 'status', 'verified']) {
      await calling.shown(new RegExp(`${field} \\([^)]*\\) \\[[^\\]]*\\]: `));
      calling.pressEnter();
    }
    const { status, screen } = await calling.finished;
    expect({ status }, screen).to.deep.equal({ status: 0 });
    const content = '{"name":"Ada","age":31,"score":95.5,"status":"active","verified":true}';
    expect(screen.replaceAll('\n', '')).to.include(`action=accept, content=${content}`);
  });

  it('tells the server that the user declines', async () => {
    const calling = call(...ASKING);
    await calling.shown(/Answer it\? \[yes\/no\] /);
    calling.answer('no');
    const { status, screen } = await calling.finished;
    expect({ status }, screen).to.deep.equal({ status: 0 });
    expect(screen).to.match(/User response: action=decline/);
    expect(screen)
      .to.match(/Who sails\?/)
      .and.not.to.include('\u001B[2J');
  });

  it('exits at Ctrl-C, also at a question', async () => {
    const calling = call(...ASKING);
    await calling.shown(/Answer it\? \[yes\/no\] /);
    calling.pressCtrlC();
    const { status, screen } = await calling.finished;
    expect({ status }, screen).to.deep.equal({ status: 130 });
    expect(screen).not.to.include('User response');
  });

  it('declines questions without a terminal', async () => {
    const words = ['mcp', 'call', server.url.href, ...ASKING];
    const { status, stdout } = await runPortolan(words, { cwd: root, env: foldersBelow(root) });
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
  });
});

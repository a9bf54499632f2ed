import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { readSession } from '../../support/examples/recorded-session.ts';
import { foldersBelow } from '../../support/user-folders.ts';

describe('portolan init on a terminal', function () {
  this.timeout(180_000);
  let folder: string;
  before(function () {
    CommandOnTerminal.require(this);
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-init-'));
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  const init = (): CommandOnTerminal =>
    new CommandOnTerminal(['init'], { cwd: folder, env: foldersBelow(folder) });
  /** Returns the final text of the screen. Each key draws a line again. */
  const linesOf = (screen: string): readonly string[] =>
    screen
      .split('\n')
      .map((line) => stripVTControlCharacters(line.split('\u001b[2K').at(-1) ?? '').trim())
      .filter((line) => line !== '');
  const written = async (): Promise<unknown> =>
    JSON.parse(await readFile(path.join(folder, 'server.json'), 'utf8'));

  it('asks as the guide shows, with defaults from package.json', async () => {
    const project = {
      name: '@acme/notes',
      version: '1.4.0',
      mcpName: 'com.acme/notes',
      description: 'Keeps notes.',
      repository: 'github:acme/notes',
    };
    await writeFile(path.join(folder, 'package.json'), JSON.stringify(project));
    const [shown] = await readSession('guides/registry/publish/write-server-json.md', 'Answer the questions');
    const command = init();
    for (const [question, answer] of [
      [/Name, such as/, ''],
      [/Title for people/, 'Notes'],
      [/What it does/, ''],
      [/Version/, ''],
      [/Package \(npx:/, ''],
      [/Secrets that it needs/, 'NOTES_TOKEN'],
    ] as const) {
      await command.shown(question);
      command.answer(answer);
    }
    const { status, screen } = await command.finished;
    expect(status, screen).to.equal(0);
    expect(linesOf(screen)).to.deep.equal(shown?.output.split('\n'));
    expect(await written()).to.deep.include({
      name: 'com.acme/notes',
      title: 'Notes',
      version: '1.4.0',
      repository: { url: 'https://github.com/acme/notes', source: 'github' },
    });
  });

  it('repeats a question after an invalid value, and takes defaults from pyproject.toml', async () => {
    const project = '[project]\nname = "acme-tides"\nversion = "2.0.1"\ndescription = "Tells the tides."\n';
    await writeFile(path.join(folder, 'pyproject.toml'), project);
    const command = init();
    await command.shown(/Name, such as/);
    command.answer('tides');
    await command.shown(/found "tides"; expected a namespace/);
    command.answer('\u0015com.acme/tides'); // Ctrl-U removes the text of the line.
    for (const question of [/Title for/, /What it does/, /Version/, /Package \(npx:/, /Secrets that/]) {
      await command.shown(question);
      command.answer('');
    }
    const { status, screen } = await command.finished;
    expect(status, screen).to.equal(0);
    expect(screen).to.include('pyproject.toml');
    expect(await written()).to.deep.include({
      name: 'com.acme/tides',
      description: 'Tells the tides.',
      version: '2.0.1',
    });
    expect(JSON.stringify(await written()))
      .to.include('"pypi"')
      .and.to.include('acme-tides');
  });

  it('writes nothing when Ctrl-C is pressed', async () => {
    const command = init();
    await command.shown(/Name, such as/);
    command.pressCtrlC();
    expect(await command.finished).to.include({ status: 130 });
    const read: unknown = await written().catch((error: unknown) => error);
    expect(read).to.have.property('code', 'ENOENT');
  });
});

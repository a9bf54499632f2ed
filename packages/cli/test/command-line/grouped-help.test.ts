import path from 'node:path';
import { Config, type Interfaces } from '@oclif/core';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { ENVIRONMENT } from '../../src/command-line/environment-help.ts';
import { GroupedHelp } from '../../src/command-line/grouped-help.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Help that keeps its output in memory. */
class HelpInMemory extends GroupedHelp {
  readonly lines: string[] = [];

  protected override log(...args: string[]): void {
    this.lines.push(...args.join(' ').split('\n'));
  }
}

describe('GroupedHelp', function () {
  this.timeout(60_000); // loads every command
  let config: Config;
  let ids: readonly string[];

  before(async () => {
    // Our own file.
    const pjson = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as Interfaces.PJSON;
    const oclif = { ...pjson.oclif, commands: './src/commands' };
    config = await Config.load({ root: ROOT, pjson: { ...pjson, oclif }, ignoreManifest: true });
    ids = config.commands.filter(({ hidden }) => !hidden).map(({ id }) => id);
  });

  /** Returns the help for a terminal of 80 columns. */
  async function helpOf(...words: readonly string[]): Promise<readonly string[]> {
    const help = new HelpInMemory(config, { maxWidth: 80, stripAnsi: true });
    await help.showHelp([...words]);
    return help.lines;
  }

  it('lists every command of this package in a section', async () => {
    const lines = await helpOf();
    expect(lines).to.include('WORKLOAD COMMANDS').and.not.to.include('PLUGIN COMMANDS');
  });

  it('fits 80 columns for every command and topic', async () => {
    const topics = config.topics.map(({ name }) => name);
    for (const about of ['', ...topics, ...ids]) {
      const lines = await helpOf(...(about === '' ? [] : [about]));
      expect(
        lines.filter((line) => line.length > 80),
        about,
      ).to.deep.equal([]);
    }
  });

  it('lists the environment variables of every command', async () => {
    expect(ids).to.include.members([...ENVIRONMENT.keys()]);
    for (const [id, variables] of ENVIRONMENT) {
      const lines = await helpOf(id);
      const from = lines.indexOf('ENVIRONMENT');
      expect(from, id).to.be.above(0);
      for (const [name] of variables) {
        expect(
          lines.slice(from).some((line) => line.startsWith(`  ${name}`)),
          `${id}: ${name}`,
        ).to.equal(true);
      }
    }
  });

  it('shows that a command takes several arguments', async () => {
    expect(await helpOf('plugins:install')).to.include('  $ portolan plugins install PLUGIN... [FLAGS]');
  });

  it('breaks an example between words, with a backslash for the shell', async () => {
    expect((await helpOf('init')).join('\n')).to.include(
      '  $ portolan init --name com.acme/notes --description "Keeps notes." \\\n' +
        '      --version 1.0.0 --runs npx://@acme/notes-mcp@1.0.0\n',
    );
  });
});

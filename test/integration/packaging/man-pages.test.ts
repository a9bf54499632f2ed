import { Config, type Interfaces } from '@oclif/core';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ManCommand, manCommand, manPage } from '../../../scripts/man-pages.ts';

const COMMAND: ManCommand = {
  id: 'config:check',
  summary: 'Check it - whole',
  description: "first\n.second line\n'third \\ one",
  usage: 'config check FILE [FLAGS]',
  args: [{ name: 'FILE', description: '' }],
  flags: [
    { name: 'config', char: 'c', value: 'FILE', description: 'the file' },
    { name: 'all', char: undefined, value: undefined, description: 'everything' },
  ],
  aliases: ['config look'],
  environment: [['PORTOLAN_CONFIG', 'the file']],
  statuses: '3: something was found.',
  examples: [{ description: 'one', command: 'portolan config check --all' }],
};

describe('manPage', () => {
  const lines = manPage(COMMAND, '1.2.3').split('\n');

  it('names the command as `man` finds it', () => {
    expect(lines[0]).to.equal('.TH "PORTOLAN-CONFIG-CHECK" "1" "" "Portolan 1.2.3" "Portolan"');
    expect(lines.slice(1, 3)).to.deep.equal(['.SH NAME', 'portolan\\-config\\-check \\- Check it \\- whole']);
  });

  it('says what the help says', () => {
    expect(lines).to.include('.B portolan config check FILE [FLAGS]');
    expect(lines).to.include('\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fIFILE\\fR');
    expect(lines).to.include('\\fB\\-\\-all\\fR');
    expect(lines).to.include('\\fBPORTOLAN_CONFIG\\fR');
    expect(lines).to.include('3: something was found.');
    expect(lines).to.include('.SH ALIASES').and.to.include('.B portolan config look');
    expect(lines).to.include('    portolan config check \\-\\-all');
  });

  it('takes no text for a request of roff', () => {
    expect(lines).to.include('\\&.second line').and.to.include("\\&'third \\e one");
  });

  it('leaves out sections with nothing in them', () => {
    expect(manPage({ ...COMMAND, environment: [], examples: [], aliases: [] }, '1')).not.to.match(
      /ENVIRONMENT|EXAMPLES|ALIASES/,
    );
  });
});

describe('manCommand', () => {
  let config: Config;
  before(async () => {
    const root = path.resolve(import.meta.dirname, '../../../packages/cli');
    // Our own file.
    const pjson = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Interfaces.PJSON;
    const oclif = { ...pjson.oclif, commands: './src/commands' };
    config = await Config.load({ root, pjson: { ...pjson, oclif }, ignoreManifest: true });
  });

  it('describes a command in words without templates', () => {
    const command = manCommand(config.findCommand('plugins:install', { must: true }), config);
    expect(command).to.include({
      id: 'plugins:install',
      summary: 'Install plugins, which bring commands and kinds',
      usage: 'plugins install PLUGIN... [FLAGS]',
    });
    expect(command.aliases).to.deep.equal(['plugins add']);
    expect(command.examples[0]?.command).to.equal('portolan plugins install @acme/portolan-plugin-wiki');
    expect(command.flags.map(({ name }) => name)).to.include.members(['allow-scripts', 'help', 'verbose']);
  });

  it('uses the first line of the description as the summary of a command that has none', () => {
    const command = config.findCommand('plugins:install', { must: true });
    const { summary: _none, ...rest } = command;
    expect(manCommand({ ...rest, description: 'Shows a plugin.\nMore.' }, config)).to.include({
      summary: 'Shows a plugin.',
      description: 'More.',
    });
  });

  it('shows that a flag can be turned off', () => {
    const command = config.findCommand('plugins:link', { must: true });
    const flags = { install: { type: 'boolean', name: 'install', allowNo: true } } as const;
    expect(manCommand({ ...command, flags }, config).flags.map(({ name }) => name)).to.deep.equal([
      '[no-]install',
    ]);
  });
});

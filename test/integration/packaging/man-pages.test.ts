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
    const { commands: _ours, ...oclif } = pjson.oclif;
    const plugins = ['@oclif/plugin-plugins'];
    config = await Config.load({ root, pjson: { ...pjson, oclif: { ...oclif, plugins } } });
  });

  it('describes a command of the framework as one of ours, in words without templates', () => {
    const command = manCommand(config.findCommand('plugins:install', { must: true }), config);
    expect(command).to.include({
      id: 'plugins:install',
      summary: 'Installs a plugin into portolan.',
      usage: 'plugins install PLUGIN... [FLAGS]',
    });
    expect(command.description).to.include('Use the PORTOLAN_NPM_REGISTRY environment variable');
    expect(command.aliases).to.deep.equal(['plugins add']);
    expect(command.examples[0]?.command).to.equal('portolan plugins install myplugin');
  });

  it('says its summary once, where that is the first line of its description', () => {
    const command = manCommand(config.findCommand('plugins:inspect', { must: true }), config);
    expect(command).to.include({
      summary: 'Displays installation properties of a plugin.',
      description: '',
      usage: 'plugins inspect PLUGIN...',
    });
  });

  it('shows that a flag can be turned off', () => {
    const { flags } = manCommand(config.findCommand('plugins:link', { must: true }), config);
    expect(flags.map(({ name }) => name)).to.deep.equal(['help', '[no-]install', 'verbose']);
  });
});

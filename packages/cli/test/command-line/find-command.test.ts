import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { findCommand, type NamedCommand } from '../../src/command-line/find-command.ts';

const commands: readonly NamedCommand[] = [
  { id: 'serve', args: {} },
  { id: 'run', args: { target: {} } },
  { id: 'list', args: {} },
  { id: 'config:check', args: {} },
  { id: 'config:schema', args: {} },
  { id: 'logs', args: { name: {} } },
  { id: 'logs:prune', args: {} },
  { id: 'migrate:up', args: {} },
  { id: 'plugins', args: {} },
  { id: 'plugins:install', args: { plugin: {} } },
  { id: 'plugins:link', args: { path: {} } },
  { id: 'registry:list', args: {} },
  { id: 'entries:claims:show', args: {} },
  { id: 'update', args: { names: {} } },
  { id: 'group:rm', args: { name: {} } },
  { id: 'sail', args: {}, strict: false },
  { id: 'sail:home', args: {} },
];

describe('findCommand', () => {
  const cases = [
    { argv: ['serve'], found: { id: 'serve', rest: [] } },
    { argv: ['serve', '--config', 'a'], found: { id: 'serve', rest: ['--config', 'a'] } },
    { argv: ['serve', 'a', 'b'], found: { id: 'serve', rest: ['a', 'b'] } },
    { argv: ['ls', '-a'], found: { id: 'list', rest: ['-a'] } },
    { argv: ['ps'], found: { id: 'list', rest: [] } },
    { argv: ['registry', 'ls', 'x'], found: { id: 'registry:list', rest: ['x'] } },
    { argv: ['run', 'ls'], found: { id: 'run', rest: ['ls'] } },
    { argv: ['entries', 'claims'], found: undefined },
    { argv: ['config', 'check'], found: { id: 'config:check', rest: [] } },
    { argv: ['config:check', 'a'], found: { id: 'config:check', rest: ['a'] } },
    { argv: ['config'], found: undefined },
    { argv: ['entries:claims'], found: undefined },
    { argv: ['plugins'], found: { id: 'plugins', rest: [] } },
    { argv: ['plugins', '--core'], found: { id: 'plugins', rest: ['--core'] } },
    { argv: ['plugins', 'install', 'x'], found: { id: 'plugins:install', rest: ['x'] } },
    { argv: ['plugins', 'list', '--core'], found: { id: 'plugins', rest: ['--core'] } },
    { argv: ['plugins', 'ls'], found: { id: 'plugins', rest: [] } },
    { argv: ['plugins', 'ls', 'x'], found: { id: 'plugins', rest: ['x'] } },
    { argv: ['logs', 'prnue'], found: { id: 'logs', rest: ['prnue'] } },
    { argv: ['sail', 'away'], found: { id: 'sail', rest: ['away'] } },
    { argv: [], found: undefined },
    { argv: ['--help'], found: undefined },
  ];
  for (const { argv, found } of cases) {
    it(`finds ${found?.id ?? 'no command'} in "${argv.join(' ')}"`, async () => {
      expect(await findCommand(argv, commands)).to.deep.equal(found);
    });
  }

  const unknown = [
    { argv: ['sevre'], typed: 'sevre', hint: 'did you mean `portolan serve`?' },
    { argv: ['runn', 'x'], typed: 'runn', hint: 'did you mean `portolan run`?' },
    { argv: ['runn', 'npx://x', 'y', '--env', 'a'], typed: 'runn', hint: 'did you mean `portolan run`?' },
    { argv: ['conifg', 'check', 'x'], typed: 'conifg', hint: 'did you mean `portolan config check`?' },
    { argv: ['registry', 'ps'], typed: 'registry ps', hint: '`portolan registry` has the commands list' },
    {
      argv: ['entries', 'claims', 'shw', 'x'],
      typed: 'entries claims shw',
      hint: 'did you mean `portolan entries claims show`?',
    },
    { argv: ['config', 'chek'], typed: 'config chek', hint: 'did you mean `portolan config check`?' },
    { argv: ['migrate', 'upp', '--yes'], typed: 'migrate upp', hint: 'did you mean `portolan migrate up`?' },
    {
      argv: ['plugins', 'instal', 'x'],
      typed: 'plugins instal',
      hint: 'did you mean `portolan plugins install`?',
    },
    { argv: ['plugin', 'install', 'x'], typed: 'plugin', hint: 'did you mean `portolan plugins install`?' },
    { argv: ['plugin'], typed: 'plugin', hint: 'did you mean `portolan plugins`?' },
    { argv: ['plugin:instal', 'x'], typed: 'plugin:instal', hint: 'did you mean `portolan plugins`?' },
    {
      argv: ['plugins', 'teleport'],
      typed: 'plugins teleport',
      hint: '`portolan plugins` has the commands install, link',
    },
    { argv: ['upgrade', 'check'], typed: 'upgrade', hint: 'did you mean `portolan update`?' },
    { argv: ['group', 'delete', 'x'], typed: 'group delete', hint: 'did you mean `portolan group rm`?' },
    { argv: ['config', 'validate'], typed: 'config validate', hint: 'did you mean `portolan config check`?' },
    { argv: ['config:chekc'], typed: 'config:chekc', hint: 'did you mean `portolan config check`?' },
    { argv: ['run:fetch'], typed: 'run:fetch', hint: 'did you mean `portolan run`?' },
    { argv: ['npx://ship'], typed: 'npx://ship', hint: '`portolan --help` lists the commands' },
    { argv: ['teleport'], typed: 'teleport', hint: '`portolan --help` lists the commands' },
  ];
  for (const { argv, typed, hint } of unknown) {
    it(`throws for "${argv.join(' ')}" with the hint ${hint}`, async () => {
      const thrown = await findCommand(argv, commands).catch((error: unknown) => error);
      expect(thrown).to.include({ code: 'ERR_UNKNOWN_COMMAND', message: `unknown command "${typed}"`, hint });
    });
  }

  const offers = [
    { argv: ['runn', 'npx://x', '--env', 'a'], offered: { id: 'runn', rest: ['npx://x', '--env', 'a'] } },
    { argv: ['plugin', 'install', 'x'], offered: { id: 'plugin:install', rest: ['x'] } },
    { argv: ['plugins:instal', 'x'], offered: { id: 'plugins:instal', rest: ['x'] } },
    { argv: ['config', 'zzzzzz', '--all'], offered: { id: 'config:zzzzzz', rest: ['--all'] } },
  ];
  for (const { argv, offered } of offers) {
    it(`offers ${offered.id} for "${argv.join(' ')}", and returns the accepted command`, async () => {
      const meant = { id: 'run', rest: ['y'] };
      const found = await findCommand(argv, commands, async (typed) => {
        expect(typed).to.deep.equal(offered);
        return meant;
      });
      expect(found).to.equal(meant);
      const error = await caught(() => findCommand(argv, commands, async () => undefined));
      expect(error.code).to.equal('ERR_UNKNOWN_COMMAND');
    });
  }

  it('N11 › suggests a command of the topic when it follows an unknown word', async () => {
    const error = await caught(() => findCommand(['entries', 'list', 'claims'], commands));
    expect(error.hint).to.include('portolan entries claims');
  });

  it('N11 › lists the commands of a topic when no name is similar', async () => {
    const error = await caught(() => findCommand(['config', 'zzzzzz'], commands));
    expect(error.hint).to.equal('`portolan config` has the commands check, schema');
  });
});

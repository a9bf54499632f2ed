import { expect } from 'chai';
import { findCommand } from '../../src/command-line/find-command.ts';

const ids = [
  'serve',
  'run',
  'list',
  'config:check',
  'config:schema',
  'migrate:up',
  'registry:list',
  'entries:claims:show',
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
    { argv: ['config'], found: undefined },
    { argv: [], found: undefined },
    { argv: ['--help'], found: undefined },
  ];
  for (const { argv, found } of cases) {
    it(`finds ${found?.id ?? 'no command'} in "${argv.join(' ')}"`, async () => {
      expect(await findCommand(argv, ids)).to.deep.equal(found);
    });
  }

  const unknown = [
    { argv: ['sevre'], typed: 'sevre', hint: 'did you mean `portolan serve`?' },
    { argv: ['runn', 'x'], typed: 'runn', hint: 'did you mean `portolan run`?' },
    { argv: ['runn', 'npx://x', 'y', '--env', 'a'], typed: 'runn', hint: 'did you mean `portolan run`?' },
    { argv: ['conifg', 'check', 'x'], typed: 'conifg', hint: 'did you mean `portolan config check`?' },
    { argv: ['registry', 'ps'], typed: 'registry ps', hint: '`portolan --help` lists the commands' },
    {
      argv: ['entries', 'claims', 'shw', 'x'],
      typed: 'entries claims shw',
      hint: 'did you mean `portolan entries claims show`?',
    },
    { argv: ['config', 'chek'], typed: 'config chek', hint: 'did you mean `portolan config check`?' },
    { argv: ['migrate', 'upp', '--yes'], typed: 'migrate upp', hint: 'did you mean `portolan migrate up`?' },
    { argv: ['teleport'], typed: 'teleport', hint: '`portolan --help` lists the commands' },
  ];
  for (const { argv, typed, hint } of unknown) {
    it(`throws for "${argv.join(' ')}" and says: ${hint}`, async () => {
      const thrown = await findCommand(argv, ids).catch((error: unknown) => error);
      expect(thrown).to.include({ code: 'ERR_UNKNOWN_COMMAND', message: `unknown command "${typed}"`, hint });
    });
  }
});

import { expect } from 'chai';
import { findCommand } from '../../src/command-line/find-command.ts';

const ids = ['serve', 'config:check', 'config:schema', 'migrate:up'];

describe('findCommand', () => {
  const cases = [
    { argv: ['serve'], found: { id: 'serve', rest: [] } },
    { argv: ['serve', '--config', 'a'], found: { id: 'serve', rest: ['--config', 'a'] } },
    { argv: ['serve', 'a', 'b'], found: { id: 'serve', rest: ['a', 'b'] } },
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
    { argv: ['sevre'], hint: 'did you mean `portolan serve`?' },
    { argv: ['config', 'chek'], hint: 'did you mean `portolan config check`?' },
    { argv: ['migrate', 'upp', '--yes'], hint: 'did you mean `portolan migrate up`?' },
    { argv: ['teleport'], hint: '`portolan --help` lists the commands' },
  ];
  for (const { argv, hint } of unknown) {
    it(`throws for "${argv.join(' ')}" and says: ${hint}`, async () => {
      const typed = argv.filter((word) => !word.startsWith('-')).join(' ');
      const thrown = await findCommand(argv, ids).catch((error: unknown) => error);
      expect(thrown).to.include({ code: 'ERR_UNKNOWN_COMMAND', message: `unknown command "${typed}"`, hint });
    });
  }
});

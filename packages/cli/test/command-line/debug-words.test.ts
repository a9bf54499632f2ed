import { expect } from 'chai';
import { asksForDebug, withDebugBehind } from '../../src/command-line/debug-words.ts';

describe('asksForDebug', () => {
  const cases: readonly { readonly argv: string; readonly variable?: string; readonly asks: boolean }[] = [
    { argv: 'list', asks: false },
    { argv: 'list --debug', asks: true },
    { argv: '--debug list', asks: true },
    { argv: 'list --debug=T', asks: true },
    { argv: 'list --debug=false', asks: false },
    { argv: 'list --debug --debug=0', asks: false },
    { argv: 'run acme/notes -- --debug', asks: false },
    { argv: 'list --debugging', asks: false },
    { argv: 'list', variable: 'true', asks: true },
    { argv: 'list', variable: '1', asks: true },
    { argv: 'list', variable: '0', asks: false },
    { argv: 'list', variable: '', asks: false },
    { argv: 'list --debug=false', variable: 'true', asks: false },
  ];
  for (const { argv, variable, asks } of cases) {
    const context = variable === undefined ? '' : ` with PORTOLAN_DEBUG=${variable}`;
    it(`returns ${asks} for \`${argv}\`${context}`, () => {
      expect(asksForDebug(argv.split(' '), { PORTOLAN_DEBUG: variable })).to.equal(asks);
    });
  }
});

describe('withDebugBehind', () => {
  const cases: readonly (readonly [argv: string, words: string])[] = [
    ['--debug status notes', 'status notes --debug'],
    ['--debug=false run acme/notes -e A=1 -- --debug', 'run acme/notes --debug=false -e A=1 -- --debug'],
    ['--debug --help', '--help'],
    ['--debug', ''],
    ['status notes --debug', 'status notes --debug'],
    ['--format json', '--format json'],
  ];
  for (const [argv, words] of cases) {
    it(`returns \`${words}\` for \`${argv}\``, () => {
      expect(withDebugBehind(argv.split(' ')).join(' ')).to.equal(words);
    });
  }
});

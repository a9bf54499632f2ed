import { Flags } from '@oclif/core';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { splitArguments } from '../../src/command-line/arguments.ts';

const flags = {
  debug: Flags.boolean(),
  isolate: Flags.boolean(),
  foreground: Flags.boolean({ char: 'f' }),
  config: Flags.string({ char: 'c' }),
};

describe('splitArguments', () => {
  const cases = [
    {
      title: 'keeps what it does not know',
      argv: ['--colour', 'a', '-x', 'b'],
      own: ['--colour', 'a', '-x', 'b'],
    },
    {
      title: 'splits at the first --',
      argv: ['a', '--', 'b', '--', 'c'],
      own: ['a'],
      rest: ['b', '--', 'c'],
    },
    { title: 'turns --flag=true into --flag', argv: ['--debug=true'], own: ['--debug'] },
    { title: 'takes out --flag=false', argv: ['--debug=false', 'a'], own: ['a'], off: ['debug'] },
    { title: 'reads -f=false', argv: ['-f=false'], own: [], off: ['foreground'] },
    { title: 'reads -f=true', argv: ['-f=true'], own: ['--foreground'] },
    {
      title: 'lets the last of several hold',
      argv: ['--debug=false', '--debug'],
      own: ['--debug', '--debug'],
    },
    {
      title: 'lets a last false hold',
      argv: ['--isolate', 'a', '--isolate=0'],
      own: ['a'],
      off: ['isolate'],
    },
    { title: 'leaves flags that take a value alone', argv: ['--config=true'], own: ['--config=true'] },
    {
      title: 'does not look into values',
      argv: ['--config', '--debug=false', '-c', '-f=false'],
      own: ['--config', '--debug=false', '-c', '-f=false'],
    },
    { title: 'takes no word behind a boolean flag', argv: ['--debug', 'maybe'], own: ['--debug', 'maybe'] },
    { title: 'rewrites nothing after --', argv: ['--', '--debug=true'], own: [], rest: ['--debug=true'] },
    {
      title: 'lets -- end a flag without its value',
      argv: ['--config', '--', 'a'],
      own: ['--config'],
      rest: ['a'],
    },
  ];
  for (const { title, argv, own, rest = [], off = [] } of cases) {
    it(title, () => {
      const split = splitArguments(argv, flags);
      expect({ ...split, off: [...split.off] }).to.deep.equal({ own, rest, off });
    });
  }

  for (const value of ['1', 't', 'T', 'TRUE', 'true', 'True']) {
    it(`takes ${value} for true`, () => {
      expect(splitArguments([`--debug=${value}`], flags).own).to.deep.equal(['--debug']);
    });
  }

  for (const value of ['0', 'f', 'F', 'FALSE', 'false', 'False']) {
    it(`takes ${value} for false`, () => {
      expect([...splitArguments([`--debug=${value}`], flags).off]).to.deep.equal(['debug']);
    });
  }

  for (const value of ['', 'yes', 'tRUE', '2']) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(() => splitArguments([`--debug=${value}`], flags)).to.throw(
        `--debug: found ${JSON.stringify(value)}; expected true or false`,
      );
    });
  }

  for (const value of ['true', 'false']) {
    it(`N11 › names the form --flag=${value} when the value stands behind a blank`, async () => {
      const error = await caught(() => splitArguments(['--isolate', value, 'x'], flags));
      expect(error).to.have.property('code', 'ERR_BAD_ARGUMENT');
      expect(error.message).to.include(`expected --isolate=${value}`);
    });
  }

  it('N11 › reads true as the value of a flag with a value', () => {
    expect(splitArguments(['--config', 'true'], flags).own).to.deep.equal(['--config', 'true']);
  });
});

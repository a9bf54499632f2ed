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
      title: 'keeps unknown words',
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
    { title: 'removes --flag=false', argv: ['--debug=false', 'a'], own: ['a'], off: ['debug'] },
    { title: 'parses -f=false', argv: ['-f=false'], own: [], off: ['foreground'] },
    { title: 'parses -f=true', argv: ['-f=true'], own: ['--foreground'] },
    {
      title: 'uses the last of several values',
      argv: ['--debug=false', '--debug'],
      own: ['--debug', '--debug'],
    },
    {
      title: 'uses a last =false',
      argv: ['--isolate', 'a', '--isolate=0'],
      own: ['a'],
      off: ['isolate'],
    },
    { title: 'keeps flags that take a value', argv: ['--config=true'], own: ['--config=true'] },
    {
      title: 'does not interpret values',
      argv: ['--config', '--debug=false', '-c', '-f=false'],
      own: ['--config', '--debug=false', '-c', '-f=false'],
    },
    {
      title: 'takes no word after a boolean flag as its value',
      argv: ['--debug', 'maybe'],
      own: ['--debug', 'maybe'],
    },
    { title: 'changes nothing after --', argv: ['--', '--debug=true'], own: [], rest: ['--debug=true'] },
    {
      title: 'ends a flag without its value at --',
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
    it(`parses ${value} as true`, () => {
      expect(splitArguments([`--debug=${value}`], flags).own).to.deep.equal(['--debug']);
    });
  }

  for (const value of ['0', 'f', 'F', 'FALSE', 'false', 'False']) {
    it(`parses ${value} as false`, () => {
      expect([...splitArguments([`--debug=${value}`], flags).off]).to.deep.equal(['debug']);
    });
  }

  for (const value of ['', 'yes', 'tRUE', '2']) {
    it(`rejects ${JSON.stringify(value)}`, () => {
      expect(() => splitArguments([`--debug=${value}`], flags)).to.throw(
        `--debug: found ${JSON.stringify(value)}; expected true or false`,
      );
    });
  }

  for (const value of ['true', 'false']) {
    it(`N11 › suggests the form --flag=${value} when the value follows after a space`, async () => {
      const error = await caught(() => splitArguments(['--isolate', value, 'x'], flags));
      expect(error).to.have.property('code', 'ERR_BAD_ARGUMENT');
      expect(error.message).to.include(`expected --isolate=${value}`);
    });
  }

  it('N11 › accepts true as the value of a flag that takes a value', () => {
    expect(splitArguments(['--config', 'true'], flags).own).to.deep.equal(['--config', 'true']);
  });
});

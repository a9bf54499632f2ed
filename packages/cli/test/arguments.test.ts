import { Flags } from '@oclif/core';
import { expect } from 'chai';
import { splitArguments } from '../src/arguments.ts';

const flags = {
  debug: Flags.boolean(),
  color: Flags.boolean({ allowNo: true }),
  config: Flags.string(),
};

describe('splitArguments', () => {
  const cases = [
    {
      title: 'keeps what it does not know',
      argv: ['--config', 'a', 'b'],
      own: ['--config', 'a', 'b'],
      rest: [],
    },
    {
      title: 'splits at the first --',
      argv: ['a', '--', 'b', '--', 'c'],
      own: ['a'],
      rest: ['b', '--', 'c'],
    },
    { title: 'turns --flag=true into --flag', argv: ['--debug=true'], own: ['--debug'], rest: [] },
    {
      title: 'leaves out --flag=false of a flag that is off anyway',
      argv: ['--debug=false'],
      own: [],
      rest: [],
    },
    { title: 'turns --flag=false into --no-flag', argv: ['--color=false'], own: ['--no-color'], rest: [] },
    {
      title: 'leaves flags that take a value alone',
      argv: ['--config=true'],
      own: ['--config=true'],
      rest: [],
    },
    { title: 'rewrites nothing after --', argv: ['--', '--debug=true'], own: [], rest: ['--debug=true'] },
  ];
  for (const { title, argv, own, rest } of cases) {
    it(title, () => {
      expect(splitArguments(argv, flags)).to.deep.equal({ own, rest });
    });
  }
});

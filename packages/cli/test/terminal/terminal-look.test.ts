import { expect } from 'chai';
import { terminalLook } from '../../src/terminal/terminal-look.ts';

describe('terminalLook', () => {
  const terminal = { isTTY: true, columns: 100 };
  const cases = [
    { title: 'a terminal', output: terminal, environment: {}, expected: { width: 100, hasColour: true } },
    {
      title: 'NO_COLOR',
      output: terminal,
      environment: { NO_COLOR: '1' },
      expected: { width: 100, hasColour: false },
    },
    {
      title: 'an empty NO_COLOR',
      output: terminal,
      environment: { NO_COLOR: '' },
      expected: { width: 100, hasColour: true },
    },
    {
      title: 'a dumb terminal',
      output: terminal,
      environment: { TERM: 'dumb' },
      expected: { width: 100, hasColour: false },
    },
    {
      title: 'a terminal of unknown width',
      output: { isTTY: true },
      environment: {},
      expected: { width: 80, hasColour: true },
    },
    { title: 'no terminal', output: {}, environment: {}, expected: { width: undefined, hasColour: false } },
  ];
  for (const { title, output, environment, expected } of cases) {
    it(`detects ${title}`, () => {
      expect(terminalLook(output, environment)).to.deep.equal(expected);
    });
  }
});

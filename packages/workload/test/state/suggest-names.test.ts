import { expect } from 'chai';
import { suggestNames } from '../../src/state/suggest-names.ts';

const KNOWN = ['modelcontextprotocol-server-everything', 'notes', 'weather', 'weather-test'];

const CASES: readonly (readonly [name: string, expected: readonly string[]])[] = [
  ['everything', ['modelcontextprotocol-server-everything']],
  ['server-everything', ['modelcontextprotocol-server-everything']],
  ['wether', ['weather']],
  ['Weather', ['weather', 'weather-test']],
  ['weather-test-2', ['weather-test', 'weather']],
  ['no', []],
  ['calendar', []],
];

describe('suggestNames', () => {
  for (const [name, expected] of CASES) {
    it(`N12 › suggests ${expected.join(' and ') || 'nothing'} for ${name}`, () => {
      expect(suggestNames(name, KNOWN)).to.deep.equal(expected);
    });
  }

  it('N12 › suggests at most three names', () => {
    expect(suggestNames('notes', ['notes-a', 'notes-b', 'notes-c', 'notes-d'])).to.have.length(3);
  });
});

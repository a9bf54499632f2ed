import { expect } from 'chai';
import { nearest } from '../src/nearest.ts';

describe('nearest', () => {
  const cases = [
    { word: 'brnach', candidates: ['repository', 'branch', 'path'], expected: 'branch' },
    { word: 'handbok', candidates: ['upstream', 'handbook'], expected: 'handbook' },
    { word: 'emty', candidates: ['name', 'empty'], expected: 'empty' },
    { word: 'oath', candidates: ['oauth', 'anonymous'], expected: 'oauth' },
    { word: 'b', candidates: ['a', 'c'], expected: undefined },
    { word: 'kubernetes', candidates: ['file', 'git'], expected: undefined },
    { word: 'file', candidates: [], expected: undefined },
  ];
  for (const { word, candidates, expected } of cases) {
    it(`returns ${expected ?? 'nothing'} for ${word}`, () => {
      expect(nearest(word, candidates)).to.equal(expected);
    });
  }
});

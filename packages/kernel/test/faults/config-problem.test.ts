import { expect } from 'chai';
import fc from 'fast-check';
import { formatConfigPath, parseConfigPath } from '../../src/faults/config-path.ts';
import { printProblems, problemsOf } from '../../src/faults/config-problem.ts';
import { configInvalid } from '../../src/validation/validation-errors.ts';

const branch = {
  place: 'sources[0].git.brnach',
  found: 'an unknown key',
  expected: 'one of repository, branch, path',
  didYouMean: 'branch',
};
const source = { place: 'registries[0].sources[1]', found: '"handbok"', expected: 'the name of a source' };

describe('printProblems', () => {
  it('prints the file first, then a column of places, with hints below', () => {
    expect(printProblems('portolan.config.yaml', [branch, { ...source, didYouMean: 'handbook' }])).to.equal(
      [
        'portolan.config.yaml has 2 problems',
        '  sources[0].git.brnach     found an unknown key; expected one of repository, branch, path',
        '                            did you mean "branch"?',
        '  registries[0].sources[1]  found "handbok"; expected the name of a source',
        '                            did you mean "handbook"?',
      ].join('\n'),
    );
  });

  it('prints known lines and columns in a separate column', () => {
    expect(printProblems('a.yaml', [{ ...branch, line: 12, column: 5 }, source])).to.equal(
      [
        'a.yaml has 2 problems',
        '  12:5  sources[0].git.brnach     found an unknown key; expected one of repository, branch, path',
        '                                  did you mean "branch"?',
        '        registries[0].sources[1]  found "handbok"; expected the name of a source',
      ].join('\n'),
    );
  });

  it('counts a single problem in the singular', () => {
    expect(printProblems('a.yaml', [source])).to.match(/^a\.yaml has 1 problem\n/);
  });
});

describe('problemsOf', () => {
  it('returns the problems of ERR_CONFIG_INVALID', () => {
    expect(problemsOf(configInvalid('a.yaml', [source]))).to.deep.equal([source]);
  });

  it('returns nothing for any other error', () => {
    for (const error of [new Error('x'), undefined, { problems: [source] }])
      expect(problemsOf(error)).to.deep.equal([]);
  });
});

describe('formatConfigPath', () => {
  const cases = [
    { place: [], expected: '(root)' },
    { place: ['sources', 0, 'git', 'branch'], expected: 'sources[0].git.branch' },
    { place: ['claims', 'a.b'], expected: 'claims["a.b"]' },
    { place: ['$schema'], expected: '$schema' },
    { place: ['x', 'with "quotes"'], expected: 'x["with \\"quotes\\""]' },
  ];
  for (const { place, expected } of cases) {
    it(`formats ${expected}`, () => {
      expect(formatConfigPath(place)).to.equal(expected);
    });
  }
});

describe('parseConfigPath', () => {
  it('parses the output of formatConfigPath', () => {
    const part = fc.oneof(fc.nat(), fc.string(), fc.stringMatching(/^[a-zA-Z_$][\w$-]*$/));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (place) => {
        expect(parseConfigPath(formatConfigPath(place))).to.deep.equal(place);
      }),
    );
  });

  it('parses an empty text as the whole configuration', () => {
    expect(parseConfigPath('')).to.deep.equal([]);
  });

  for (const text of [
    '.',
    '.a',
    'a.',
    'a..b',
    'a b',
    'a[',
    'a[x]',
    'a[01]',
    'a["b"]',
    'a["\\q"]',
    '(root)',
    'a/b',
  ]) {
    it(`returns nothing for ${text}`, () => {
      expect(parseConfigPath(text)).to.equal(undefined);
    });
  }
});

import { expect } from 'chai';
import { checkToolFilter } from '../src/tool-filter.ts';
import type { ToolFilterConfig } from '../src/tool-filter-config.ts';

const CASES: readonly (readonly [title: string, given: ToolFilterConfig, places: readonly string[]])[] = [
  ['nothing', { tools: [], override: {} }, []],
  ['names of which nothing is known', { tools: ['a', 'b'], override: {} }, []],
  ['a name and a description', { tools: [], override: { a: { name: 'b' }, c: { description: 'd' } } }, []],
  ['an override without a word', { tools: [], override: { a: {} } }, ['override.a']],
  ['its own name again', { tools: [], override: { a: { name: 'a' } } }, ['override.a']],
  [
    'one name for two tools',
    { tools: [], override: { a: { name: 'x' }, b: { name: 'x' } } },
    ['override.b.name'],
  ],
  [
    'the name of a tool that keeps its own',
    { tools: [], override: { a: { name: 'b' }, b: { description: 'd' } } },
    ['override.b.name'],
  ],
  ['names that are changed', { tools: [], override: { a: { name: 'b' }, b: { name: 'a' } } }, []],
  ['a name that is gone', { tools: ['b', 'a'], override: { a: { name: 'b' } } }, ['tools[1]']],
  ['a name that another has now', { tools: ['a'], override: { a: { name: 'b' }, c: { name: 'a' } } }, []],
];

describe('checkToolFilter', () => {
  for (const [title, given, places] of CASES) {
    it(`${places.length === 0 ? 'accepts' : 'reports'} ${title}`, () => {
      expect(checkToolFilter(given).map(({ place }) => place)).to.deep.equal(places);
    });
  }
});

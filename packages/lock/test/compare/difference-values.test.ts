import { expect } from 'chai';
import { lockDefinitions, valueAt, valuesOf } from '../../src/index.ts';
import { PROMPT, SERVER, TOOL } from '../support/definitions.ts';

const BEFORE = { tools: [TOOL], prompts: [PROMPT], server: { ...SERVER, instructions: 'Be kind.' } };
const { locked } = lockDefinitions({
  facts: { source: 'npx://p@1.0.0' },
  current: BEFORE,
  approval: { date: '2026-11-29' },
});

describe('valuesOf', () => {
  const renamed = { ...TOOL, description: 'Sends code.' };
  const after = { tools: JSON.stringify([renamed]), server: { ...SERVER, instructions: 'Obey.' } };

  it('valuesOf › returns both definitions of a changed tool', () => {
    const values = valuesOf({ kind: 'tool', name: 'search_code' }, locked, after);
    // Of `_meta`, the stored definition has only the keys of apps.
    expect(values).to.deep.equal({
      before: { ...TOOL, _meta: { ui: { resourceUri: 'ui://search' } } },
      after: renamed,
    });
  });

  it('valuesOf › returns instructions from the stored contents', () => {
    const values = valuesOf({ kind: 'instructions', name: '' }, locked, after);
    expect(values).to.deep.equal({ before: 'Be kind.', after: 'Obey.' });
  });

  it('valuesOf › has no value before when nothing is locked', () => {
    expect(valuesOf({ kind: 'tool', name: 'search_code' }, undefined, after).before).to.equal(undefined);
    expect(valuesOf({ kind: 'tool', name: 'unknown' }, locked, after)).to.deep.equal({
      before: undefined,
      after: undefined,
    });
  });
});

describe('valueAt', () => {
  const value = { 'a/b': [{ 'm~n': 1 }], own: null };
  const cases: readonly (readonly [pointer: string, expected: unknown])[] = [
    ['', value],
    ['/a~1b/0/m~0n', 1],
    ['/a~1b/1', undefined],
    ['/a~1b/length', undefined],
    ['/constructor', undefined],
    ['/own/below', undefined],
  ];
  for (const [pointer, expected] of cases) {
    it(`valueAt › returns ${JSON.stringify(expected) ?? 'undefined'} when the pointer is "${pointer}"`, () => {
      expect(valueAt(value, pointer)).to.deep.equal(expected);
    });
  }
});

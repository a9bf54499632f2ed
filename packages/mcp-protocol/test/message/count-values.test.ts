import { expect } from 'chai';
import fc from 'fast-check';
import { findExcess, MAX_ELEMENTS } from '../../src/message/count-values.ts';

/** Longer than any limit, so that a text is always counted. */
const PADDING = ' '.repeat(MAX_ELEMENTS + 1);

/** Counts by walking the parsed value. */
function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value) as readonly unknown[];
  const isList = Array.isArray(value);
  const own = isList ? inner.filter((item) => typeof item === 'string').length : inner.length;
  return 1 + own + inner.reduce<number>((sum, item) => sum + countNodes(item), 0);
}

describe('findExcess', () => {
  it('counts objects, lists, names and strings in lists, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify([value]) + PADDING;
        const nodes = countNodes([value]);
        expect(findExcess(text, nodes)).to.equal(undefined);
        expect(findExcess(text, nodes - 1)).to.equal('values');
      }),
    );
  });

  it('treats an escape as part of its string', () => {
    const text = `{"a\\"[{,":"\\\\","b":"x\\\\\\",{"}${PADDING}`;
    expect(findExcess(text, 3)).to.equal(undefined);
    expect(findExcess(text, 2)).to.equal('values');
  });

  it('counts commas up to a separate maximum', () => {
    expect(findExcess(`[${'0,'.repeat(MAX_ELEMENTS)}0]`, 1)).to.equal(undefined);
    expect(findExcess(`[${'0,'.repeat(MAX_ELEMENTS + 1)}0]`, 1)).to.equal('values');
  });

  it('counts nested levels, not adjacent objects', () => {
    const text = `[${'[[]],'.repeat(10)}[]]${PADDING}`;
    expect(findExcess(text, 100, 3)).to.equal(undefined);
    expect(findExcess(text, 100, 2)).to.equal('levels');
  });

  it('accepts truncated text, and text that is not JSON', () => {
    for (const text of ['{"a', '"\\', '}}}}', ':::"', '{"a":"'])
      expect(findExcess(PADDING + text, 10)).to.equal(undefined);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { findRepeatedName } from '../../src/message/find-ambiguity.ts';

describe('findRepeatedName', () => {
  const rows: readonly (readonly [title: string, text: string, fault: string | undefined])[] = [
    ['a name twice at the top', '{"a":1,"a":1}', 'occurs twice'],
    ['a name twice below a list', '[{"b":{"a":1,"c":2,"a":3}}]', 'occurs twice'],
    ['a name and its escape', String.raw`{"a":1,"\u0061":1}`, 'occurs twice'],
    ['nesting of more than 512 levels', `${'['.repeat(513)}${']'.repeat(513)}`, 'nested deeper'],
    ['names in two cases', '{"a":1,"A":1,"id":1,"ID":2,"params":{"Name":1,"name":2}}', undefined],
    ['a name in two objects', '[{"a":1},{"a":1}]', undefined],
    ['a text that looks like a name', '{"a":"b","c":"b"}', undefined],
    ['a text', '"a"', undefined],
  ];
  for (const [title, text, fault] of rows) {
    it(`findRepeatedName › ${fault === undefined ? 'accepts' : 'reports'} ${title}`, () => {
      if (fault === undefined) expect(findRepeatedName(text)).to.equal(undefined);
      else expect(findRepeatedName(text)).to.include(fault);
    });
  }

  it('findRepeatedName › finds nothing in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(findRepeatedName(JSON.stringify(value))).to.equal(undefined);
      }),
    );
  });
});

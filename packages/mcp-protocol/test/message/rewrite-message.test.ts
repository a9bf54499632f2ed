import { expect } from 'chai';
import fc from 'fast-check';
import { findValue } from '../../src/message/json-text.ts';
import { onOneLine, rewriteMessage } from '../../src/message/rewrite-message.ts';

describe('rewriteMessage', () => {
  it('changes only the values at the paths', () => {
    const text =
      '{ "jsonrpc":"2.0", "id" : 1 ,"params":{"_meta":{"progressToken":"a b","x":1.0}, "n": 9007199254740993}}';
    const rewritten = rewriteMessage(text, [
      { path: ['id'], by: '"p-1"' },
      { path: ['params', '_meta', 'progressToken'], by: '"p-1"' },
      { path: ['params', 'missing'], by: '0' },
    ]);
    expect(rewritten).to.equal(
      '{ "jsonrpc":"2.0", "id" : "p-1" ,"params":{"_meta":{"progressToken":"p-1","x":1.0}, "n": 9007199254740993}}',
    );
  });

  it('finds the same values as a JSON parser, however the text is formatted', () => {
    const blanks = fc.constantFrom(0, 1, '\t');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), blanks, (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        for (const [name, member] of Object.entries(JSON.parse(text) as object)) {
          const span = findValue(text, [name]);
          expect(span, text).to.not.equal(undefined);
          expect(JSON.parse(text.slice(span?.start, span?.end))).to.deep.equal(member);
        }
      }),
    );
  });

  it('restores the original text when a replacement is reverted', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        const text = `{"id":${JSON.stringify(value)},"x":[1]}`;
        const there = rewriteMessage(text, [{ path: ['id'], by: JSON.stringify(other) }]);
        expect(rewriteMessage(there, [{ path: ['id'], by: JSON.stringify(value) }])).to.equal(text);
      }),
    );
  });
});

describe('onOneLine', () => {
  it('replaces line breaks between tokens with spaces', () => {
    expect(onOneLine('{\r\n  "a": "b\\n\u{2028}"\n}')).to.equal('{    "a": "b\\n\u{2028}" }');
  });
});

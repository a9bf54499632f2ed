import { expect } from 'chai';
import fc from 'fast-check';
import { withMeta } from '../../src/responses/with-meta.ts';

describe('withMeta', () => {
  const added = [
    { what: 'a document without it', document: { name: 'com.acme/notes', version: '1.0.0' } },
    { what: 'an empty document', document: {} },
    { what: 'a map further down that has one', document: { name: 'a', x: { _meta: { y: 1 } } } },
    { what: 'one in a list of maps', document: { packages: [{ _meta: {} }, { _meta: {} }] } },
    { what: 'a text that looks like one', document: { description: '{"_meta":{}} \\"_meta":{' } },
    { what: 'a value of that name', document: { name: '_meta', list: ['_meta'] } },
  ];
  for (const { what, document } of added) {
    it(`adds an empty _meta to ${what}`, () => {
      expect(JSON.parse(withMeta(JSON.stringify(document)))).to.deep.equal({ ...document, _meta: {} });
    });
  }

  const kept = [
    { what: 'one at the beginning', document: { _meta: { a: 1 }, name: 'b' } },
    { what: 'one at the end', document: { name: 'b', x: { y: '}{\\' }, _meta: { a: { _meta: 1 } } } },
    { what: 'an empty one behind another', document: { x: { _meta: { y: 1 } }, _meta: {} } },
    { what: 'one behind braces in texts', document: { description: '{{{ "}', list: [{}, '}'], _meta: {} } },
  ];
  for (const { what, document } of kept) {
    it(`leaves ${what} unchanged`, () => {
      const text = JSON.stringify(document);
      expect(withMeta(text)).to.equal(text);
    });
  }

  it('distinguishes a top-level _meta from the same text elsewhere', () => {
    const key = fc.constantFrom('_meta', 'a', '"_meta":', '{', '\\');
    const { document } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, key, fc.constant(1), fc.array(tie('value')), tie('document')),
      document: fc.dictionary(key, tie('value'), { noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(document, (made) => {
        const text = JSON.stringify(made);
        const shown = withMeta(text);
        if (Object.hasOwn(Object(made), '_meta')) expect(shown).to.equal(text);
        else expect(JSON.parse(shown)).to.deep.equal({ ...Object(made), _meta: {} });
      }),
    );
  });
});

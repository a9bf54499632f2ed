import { expect } from 'chai';
import { validateEntryDocument } from '@portolan/entry-format';
import { serverDocument, skillDocument } from '../documents.ts';

const description = 'Reads\u200B files';

describe('validateEntryDocument', () => {
  for (const { type, document } of [
    { type: 'server', document: serverDocument({ description }) },
    { type: 'skill', document: skillDocument({ description }) },
  ] as const) {
    for (const strength of ['publish', 'sync'] as const) {
      it(`validateEntryDocument › warns of hidden text in a ${type} at ${strength}`, () => {
        expect(validateEntryDocument(type, document, strength)).to.deep.equal([
          {
            type: 'semantic',
            path: 'description',
            message: 'found 1 zero-width character U+200B; expected only text that a reader sees',
            severity: 'warning',
            reference: 'hidden-text',
          },
        ]);
      });
    }
  }

  it('validateEntryDocument › names the place of hidden text in metadata, also in a name', () => {
    const key = 'io.modelcontextprotocol.registry/publisher-provided';
    const document = serverDocument({ _meta: { [key]: { tools: [{ 'a\u200Bb': 1 }, { description }] } } });
    expect(validateEntryDocument('server', document, 'publish').map(({ path }) => path)).to.have.members([
      `_meta["${key}"].tools[0]["a?b"]`,
      `_meta["${key}"].tools[1].description`,
    ]);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import {
  findSecretReference,
  formatSecretReference,
  parseSecretReference,
} from '../../src/parse/secret-reference.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parseSecretReference', () => {
  const good = [
    { text: 'weather-key,target=API_KEY', expected: { name: 'weather-key', target: 'API_KEY' } },
    { text: 'op://vault/item/field,target=X', expected: { name: 'op://vault/item/field', target: 'X' } },
    { text: 'two words,target=X', expected: { name: 'two words', target: 'X' } },
    { text: 'a,target=X,target', expected: { name: 'a', target: 'X,target' } },
  ];
  for (const { text, expected } of good) {
    it(`parses ${text}`, () => {
      expect(parseSecretReference(text, '--secret')).to.deep.equal(expected);
    });
  }
  for (const text of [
    '',
    'key',
    'key,target=',
    ',target=X',
    ' ,target=X',
    'a,b,target=X',
    'key,Target=X',
    'k,target=A B',
    'k,target=A=B',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      const error = await caught(() => parseSecretReference(text, '--secret'));
      expect(error.code).to.equal('ERR_SECRET_REFERENCE');
      expect(error.message).to.include('invalid secret parameter format');
    });
  }
  it('does not show a text that may be a secret', async () => {
    const error = await caught(() =>
      parseSecretReference('sk-live-0123456789abcdefghijklmnopqrstu', '--secret'),
    );
    expect(error.message).not.to.include('sk-live');
  });

  it('parses the output of formatSecretReference', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w /.-]*\w$/), fc.stringMatching(/^\w+$/), (name, target) => {
        expect(findSecretReference(formatSecretReference({ name, target }))).to.deep.equal({ name, target });
      }),
    );
  });
});

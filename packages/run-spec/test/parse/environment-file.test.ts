import { expect } from 'chai';
import fc from 'fast-check';
import { parseEnvironmentFile } from '../../src/parse/environment-file.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parseEnvironmentFile', () => {
  it('reads lines, comments, exports and empty lines', () => {
    const text = '\uFEFF# keys\n\nA=1\r\nexport B=two words\n  C = x=y \nD=\n#E=1\nA=2\nQ="quoted"\n';
    expect([...parseEnvironmentFile(text, 'x.env')]).to.deep.equal([
      ['A', '2'],
      ['B', 'two words'],
      ['C', 'x=y'],
      ['D', ''],
      ['Q', '"quoted"'],
    ]);
  });

  it('names file and line of a mistake, and shows nothing of it', async () => {
    const error = await caught(() => parseEnvironmentFile('A=1\nMIIEpAIBAAKCAQEA\n', 'keys.env'));
    expect(error.code).to.equal('ERR_ENVIRONMENT_VARIABLE');
    expect(error.message).to.include('keys.env:2').and.not.to.include('MIIE');
  });

  it('reads back every plain variable', () => {
    const plain = fc.dictionary(
      fc.stringMatching(/^[A-Z_]{1,8}$/),
      fc.stringMatching(/^(?:[!-~](?:[ -~]*[!-~])?)?$/),
    );
    fc.assert(
      fc.property(plain, (variables) => {
        const text = Object.entries(variables)
          .map(([key, value]) => `${key}=${value}\n`)
          .join('');
        expect(Object.fromEntries(parseEnvironmentFile(text, 'x'))).to.deep.equal({ ...variables });
      }),
    );
  });
});

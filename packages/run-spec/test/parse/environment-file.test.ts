import { expect } from 'chai';
import fc from 'fast-check';
import { parseEnvironmentFile, warnOfLiteralMarks } from '../../src/parse/environment-file.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parseEnvironmentFile', () => {
  it('parses lines, comments, exports and empty lines', () => {
    const text = '\uFEFF# keys\n\nA=1\r\nexport B=two words\n  C = x=y \nD=\n#E=1\nA=2\nQ="quoted"\n';
    expect([...parseEnvironmentFile(text, 'x.env')]).to.deep.equal([
      ['A', '2'],
      ['B', 'two words'],
      ['C', 'x=y'],
      ['D', ''],
      ['Q', '"quoted"'],
    ]);
  });

  it('shows file and line of an error, and none of its text', async () => {
    const error = await caught(() => parseEnvironmentFile('A=1\nMIIEpAIBAAKCAQEA\n', 'keys.env'));
    expect(error.code).to.equal('ERR_SETTING');
    expect(error.message).to.include('keys.env:2').and.not.to.include('MIIE');
  });

  it('parses back every plain variable', () => {
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

describe('warnOfLiteralMarks', () => {
  for (const [text, lines] of [
    ['A=1\n# B="2"\nC=d#e\nD="\nE=it\'s\n', undefined],
    ['A="sesame"\n', 'x.env:1'],
    ["A=1\nexport B='sesame'\n", 'x.env:2'],
    ['A=sesame # the key\nB="sesame" # other\n', 'x.env:1, x.env:2'],
    ['A="1"\n'.repeat(7), 'x.env:1, x.env:2, x.env:3, x.env:4, x.env:5 and 2 more lines'],
  ] as const) {
    it(`reports ${lines ?? 'no line'} of ${JSON.stringify(text).slice(0, 50)} (docker/cli 3630, sas-mcp-server 32)`, () => {
      const warning = warnOfLiteralMarks(text, 'x.env');
      expect(warning?.split(': ')[0]).to.equal(lines);
      expect(warning ?? '').to.not.contain('sesame');
    });
  }
});

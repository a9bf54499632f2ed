import { expect } from 'chai';
import { findBearerChallenge, parseChallenges } from '../../src/discovery/parse-challenge.ts';

describe('parseChallenges', () => {
  const cases: readonly { readonly header: string; readonly bearer: Record<string, string> | undefined }[] = [
    { header: 'Bearer', bearer: {} },
    { header: 'bearer realm="a b"', bearer: { realm: 'a b' } },
    {
      header: 'Bearer scope="x y", resource_metadata="https://h/.well-known/x"',
      bearer: { scope: 'x y', resource_metadata: 'https://h/.well-known/x' },
    },
    { header: 'Basic realm="r", Bearer error=invalid_token', bearer: { error: 'invalid_token' } },
    { header: 'Negotiate YII=, Bearer scope=a', bearer: { scope: 'a' } },
    { header: 'Bearer Scope="1", scope="2"', bearer: { scope: '1' } },
    { header: String.raw`Bearer realm="a \"b\" \\c"`, bearer: { realm: String.raw`a "b" \c` } },
    { header: 'Basic realm="Bearer scope=x"', bearer: undefined },
    { header: 'Basic realm="open, Bearer scope=x', bearer: undefined },
    { header: '', bearer: undefined },
    { header: `Bearer realm="${'x'.repeat(20_000)}"`, bearer: undefined },
  ];
  for (const { header, bearer } of cases) {
    it(`parses ${JSON.stringify(header.slice(0, 60))}`, () => {
      const found = findBearerChallenge(header);
      expect(found === undefined ? undefined : Object.fromEntries(found)).to.deep.equal(bearer);
    });
  }

  it('parses any header in linear time', () => {
    for (const part of [',', ' ', 'a ', 'a=', 'a="', '\\"', '=,']) {
      expect(() => parseChallenges(part.repeat(8000))).to.not.throw();
    }
  });
});

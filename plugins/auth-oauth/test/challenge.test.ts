import { expect } from 'chai';
import { metadataUrl, renderChallenge } from '../src/challenge.ts';

describe('renderChallenge', () => {
  it('escapes quotes and backslashes', () => {
    expect(renderChallenge({ realm: 'a "b" \\ c' })).to.equal('Bearer realm="a \\"b\\" \\\\ c"');
  });

  it('omits the metadata URL when the server has no public address', () => {
    expect(renderChallenge({ realm: 'r' }, 'invalid_token')).to.equal(
      'Bearer realm="r", error="invalid_token", error_description="token validation failed"',
    );
  });
});

describe('metadataUrl', () => {
  for (const { resource, expected } of [
    {
      resource: 'https://acme.example',
      expected: 'https://acme.example/.well-known/oauth-protected-resource',
    },
    {
      resource: 'https://acme.example/',
      expected: 'https://acme.example/.well-known/oauth-protected-resource',
    },
    {
      resource: 'http://localhost:8080',
      expected: 'http://localhost:8080/.well-known/oauth-protected-resource',
    },
    {
      resource: 'https://acme.example/registry/a',
      expected: 'https://acme.example/.well-known/oauth-protected-resource/registry/a',
    },
    {
      resource: 'https://acme.example/"x',
      expected: 'https://acme.example/.well-known/oauth-protected-resource/%22x',
    },
  ]) {
    it(`returns ${expected} for the resource ${resource}`, () => {
      expect(metadataUrl(resource)).to.equal(expected);
    });
  }
});

import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { expect } from 'chai';
import { keepsKeys, readSigningKeys } from '../src/keys/signing-key.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
const rsaJwk = rsa.publicKey.export({ format: 'jwk' });

async function read(...keys: readonly (JsonWebKey & { readonly kid?: string })[]) {
  const found = await readSigningKeys('https://sso.acme.example/keys', async () => ({ keys }));
  return [...found].map(
    ([kid, known]) => `${kid}: ${known.map(({ algorithms }) => algorithms.join(' ')).join(' | ')}`,
  );
}

describe('readSigningKeys', () => {
  for (const { title, keys, expected } of [
    {
      title: 'an RSA key',
      keys: [{ ...rsaJwk, kid: 'a' }],
      expected: ['a: RS256 RS384 RS512 PS256 PS384 PS512'],
    },
    {
      title: 'an RSA key for one algorithm',
      keys: [{ ...rsaJwk, kid: 'a', alg: 'PS256', use: 'sig' }],
      expected: ['a: PS256'],
    },
    { title: 'an EC key', keys: [{ ...ec, kid: 'a' }], expected: ['a: ES384'] },
    {
      title: 'two keys of one name',
      keys: [
        { ...ec, kid: 'a' },
        { ...rsaJwk, kid: 'a', alg: 'RS256' },
      ],
      expected: ['a: ES384 | RS256'],
    },
  ]) {
    it(`reads ${title}`, async () => {
      expect(await read(...keys)).to.deep.equal(expected);
    });
  }

  for (const { title, key } of [
    { title: 'a key without name', key: rsaJwk },
    { title: 'a key for encryption', key: { ...rsaJwk, kid: 'x', use: 'enc' } },
    { title: 'a key for another algorithm than it can', key: { ...rsaJwk, kid: 'x', alg: 'RSA-OAEP' } },
    { title: 'a private key', key: { ...rsa.privateKey.export({ format: 'jwk' }), kid: 'x' } },
    { title: 'a secret', key: { kty: 'oct', k: 'c2VjcmV0', kid: 'x' } },
    {
      title: 'a short RSA key',
      key: {
        ...generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }),
        kid: 'x',
      },
    },
    {
      title: 'an Ed25519 key',
      key: { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'x' },
    },
    {
      title: 'a curve that tokens do not use',
      key: {
        ...generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' }),
        kid: 'x',
      },
    },
    { title: 'a key that cannot be read', key: { kty: 'RSA', n: '', e: '', kid: 'x' } },
  ]) {
    it(`ignores ${title}`, async () => {
      expect(await read(key, { ...ec, kid: 'good' })).to.deep.equal(['good: ES384']);
    });
  }
});

describe('keepsKeys', () => {
  it('compares key material, not only key ids', async () => {
    const of = (...keys: JsonWebKey[]) =>
      readSigningKeys('https://sso.acme.example/keys', async () => ({ keys }));
    const one = await of({ ...ec, kid: 'a' });
    expect(keepsKeys(one, await of({ ...ec, kid: 'a' }, { ...rsaJwk, kid: 'b' }))).to.equal(true);
    expect(keepsKeys(one, await of({ ...rsaJwk, kid: 'a' }))).to.equal(false);
    expect(keepsKeys(one, await of({ ...ec, kid: 'b' }))).to.equal(false);
  });
});

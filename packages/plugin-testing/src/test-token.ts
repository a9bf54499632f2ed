import {
  constants,
  createHmac,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';

export const TEST_ALGORITHMS = ['RS256', 'ES256', 'PS256'] as const;
export type TestAlgorithm = (typeof TEST_ALGORITHMS)[number];

/** A key pair of a test issuer. */
export interface TestKey {
  readonly kid: string;
  readonly algorithm: TestAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** How a token differs from a good one. Each key alone makes it a bad one, `algorithm` and `typ` perhaps. */
export interface TestTokenOptions {
  /**
   * Another algorithm than the issuer's: `none` is an unsigned token, HS256 one
   * signed with the public key (as PEM text) for a secret.
   */
  readonly algorithm?: TestAlgorithm | 'none' | 'HS256';
  /** Another `kid` than that of the key; null leaves it out. */
  readonly kid?: string | null;
  /** The `typ` of the header; left out: `at+jwt`; null leaves it out of the header. */
  readonly typ?: string | null;
  /** More for the header, such as `jku`, `x5u`, `jwk` or `crit`. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signed with a key that nobody publishes, under the `kid` of the one that is. */
  readonly stranger?: boolean;
}

/** A new key pair with a `kid` of its own. */
export async function createTestKey(algorithm: TestAlgorithm): Promise<TestKey> {
  const pair =
    algorithm === 'ES256'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), algorithm, ...pair };
}

/** The public half, as it stands in a JWKS document. */
export function toJwk({ kid, algorithm, publicKey }: TestKey): JsonWebKey {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' };
}

/** A JWT over the claims, good or bad as the options say; `stranger` is left to the caller's choice of key. */
export function signTestToken(
  key: TestKey,
  claims: Readonly<Record<string, unknown>>,
  options: TestTokenOptions = {},
): string {
  const { algorithm = key.algorithm, kid = key.kid, typ = 'at+jwt' } = options;
  const header = {
    alg: algorithm,
    ...(typ === null ? {} : { typ }),
    ...(kid === null ? {} : { kid }),
    ...options.header,
  };
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${signatureOf(signed, algorithm, key)}`;
}

function signatureOf(signed: string, algorithm: string, { privateKey, publicKey }: TestKey): string {
  const data = Buffer.from(signed);
  switch (algorithm) {
    case 'none':
      return '';
    case 'HS256':
      return createHmac('sha256', publicKey.export({ format: 'pem', type: 'spki' }))
        .update(data)
        .digest('base64url');
    case 'ES256':
      return sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    case 'PS256': {
      const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
      return sign('sha256', data, { key: privateKey, padding, saltLength }).toString('base64url');
    }
    default:
      return sign('sha256', data, privateKey).toString('base64url');
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

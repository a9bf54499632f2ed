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

export interface TestKey {
  readonly kid: string;
  readonly algorithm: TestAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Differences from a valid token. Each alone makes it invalid, except perhaps `algorithm` and `typ`. */
export interface TestTokenOptions {
  /**
   * Algorithm instead of the issuer's. `none` makes an unsigned token; HS256 signs with the public key (PEM
   * text) as the secret.
   */
  readonly algorithm?: TestAlgorithm | 'none' | 'HS256';
  /** Key id instead of that of the key; null omits it. */
  readonly kid?: string | null;
  /** Token type. Default: `at+jwt`; null omits it. */
  readonly typ?: string | null;
  /** Additional header members, such as `jku`, `x5u`, `jwk` or `crit`. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs with an unpublished key under the `kid` of the published one. */
  readonly stranger?: boolean;
}

export async function createTestKey(algorithm: TestAlgorithm): Promise<TestKey> {
  const pair =
    algorithm === 'ES256'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), algorithm, ...pair };
}

export function toJwk({ kid, algorithm, publicKey }: TestKey): JsonWebKey {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' };
}

/** Returns a JWT according to the options, except `stranger`, for which the caller chooses the key. */
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

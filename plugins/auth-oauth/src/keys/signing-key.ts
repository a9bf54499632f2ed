import { createPublicKey, type KeyObject } from 'node:crypto';
import jwksRsa from 'jwks-rsa';

/**
 * Accepted signature algorithms, all asymmetric. `none` and HMAC are excluded, because anyone could create
 * such tokens from public keys.
 */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
  /** Text that is equal for equal keys. */
  readonly fingerprint: string;
}

/**
 * Published keys by `kid`. A `kid` may have several keys, because issuers have used one `kid` for two keys of
 * different types.
 */
export type SigningKeys = ReadonlyMap<string, readonly SigningKey[]>;

/**
 * Accepted lengths of RSA keys. Shorter keys can be broken; longer ones take more time than any issuer needs.
 */
const RSA_BITS = { least: 2048, most: 8192 };

const EC_ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * Returns public keys, not for encryption, with a `kid`, of an accepted type and size. Throws what
 * `fetchKeys` throws, and an error when no key is left.
 */
export async function readSigningKeys(
  url: string,
  fetchKeys: (url: string) => Promise<{ keys: readonly unknown[] }>,
): Promise<SigningKeys> {
  // The caches of this library are disabled, because they refuse a new key for a minute after many unknown
  // ones.
  const client = new jwksRsa.JwksClient({ jwksUri: url, cache: false, rateLimit: false, fetcher: fetchKeys });
  const signingKeys = new Map<string, SigningKey[]>();
  for (const published of await client.getSigningKeys()) {
    const key = createPublicKey(published.getPublicKey());
    const algorithms = algorithmsOf(key, published.alg);
    if (published.kid === undefined || algorithms.length === 0) continue;
    const fingerprint = key.export({ format: 'der', type: 'spki' }).toString('base64') + algorithms.join();
    signingKeys.set(published.kid, [
      ...(signingKeys.get(published.kid) ?? []),
      { key, algorithms, fingerprint },
    ]);
  }
  if (signingKeys.size === 0) throw new Error('it has no key that can verify tokens');
  return signingKeys;
}

/** Returns the algorithms for a key: those of its type or, if the key has `alg`, only that one. */
function algorithmsOf(key: KeyObject, alg: string | undefined): readonly Algorithm[] {
  const able = algorithmsByType(key);
  return alg === undefined ? able : able.filter((algorithm) => algorithm === alg);
}

function algorithmsByType({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly Algorithm[] {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'rsa') {
    const fits = modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most;
    return fits ? ALGORITHMS.filter((name) => !name.startsWith('ES')) : [];
  }
  const algorithm = asymmetricKeyType === 'ec' ? EC_ALGORITHMS[namedCurve] : undefined;
  return algorithm === undefined ? [] : [algorithm];
}

export function keepsKeys(before: SigningKeys, after: SigningKeys): boolean {
  for (const [kid, keys] of before) {
    const left = new Set(after.get(kid)?.map(({ fingerprint }) => fingerprint));
    if (!keys.every(({ fingerprint }) => left.has(fingerprint))) return false;
  }
  return true;
}

import type { KeyObject } from 'node:crypto';
import koaJwt from 'koa-jwt';
import { CLOCK_SKEW_S, type Expected } from './check-claims.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { ALGORITHMS } from '../keys/signing-key.ts';
import { trimIssuer } from '../url-rules.ts';

/** The keys with this `kid` that may be used with this algorithm. */
export type FindKeys = (kid: string, algorithm: string) => Promise<readonly KeyObject[]>;

/**
 * Verifies the signature of a JWT with koa-jwt, and with it algorithm, issuer,
 * audience and times; answers the claims. Rejects with what was wrong: what
 * `findKeys` threw, or an error of the library.
 *
 * koa-jwt is handed a context of its own instead of the one of a request: it
 * takes a `secret` in the state of the request for its own, and it would read
 * the header anew. No header of the token but `kid` and `alg` is looked at:
 * neither `jku`, `x5u`, `jwk` nor `x5c`.
 */
export function createJwtVerifier(
  { issuerUrl, audience }: Expected,
  findKeys: FindKeys,
  clock: () => Date,
): (token: string) => Promise<JsonObject> {
  const issuer = issuerUrl === undefined ? undefined : trimIssuer(issuerUrl);
  const options = {
    algorithms: [...ALGORITHMS],
    ...(audience === undefined ? {} : { audience }),
    ...(issuer === undefined ? {} : { issuer: [issuer, `${issuer}/`] }),
    clockTolerance: CLOCK_SKEW_S,
    // Read anew for every token, since each verification copies the options.
    get clockTimestamp() {
      return Math.floor(clock().getTime() / 1000);
    },
    key: 'claims',
    getToken: ({ state }: { readonly state: { readonly token?: string } }) => state.token ?? null,
    secret: async (header: { readonly kid: string; readonly alg: string }) => {
      const keys = await findKeys(header.kid, header.alg);
      if (keys.length === 0) throw new UnknownKey();
      // SAFETY: the library verifies with a KeyObject as well, and without parsing a PEM each time.
      return keys as unknown as string[];
    },
  };
  const verify = koaJwt(options);
  return async (token) => {
    const state: { token: string; claims?: unknown } = { token };
    const context = { state, throw: rethrow };
    // SAFETY: koa-jwt uses these two of a context.
    await verify(context as unknown as Parameters<typeof verify>[0], () => Promise.resolve());
    if (!isJsonObject(state.claims)) throw new Error('the payload is no JSON object');
    return state.claims;
  };
}

/** The provider has no key under the name that the token gives. */
export class UnknownKey extends Error {}

/** koa-jwt answers everything with 401; what it was is in `originalError`. */
function rethrow(_status: number, message: string, properties?: { readonly originalError?: unknown }): never {
  const cause = properties?.originalError;
  throw cause instanceof Error ? cause : new Error(message, { cause });
}

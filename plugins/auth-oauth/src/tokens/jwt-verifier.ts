import type { KeyObject } from 'node:crypto';
import koaJwt from 'koa-jwt';
import { CLOCK_SKEW_S, type Expected } from './check-claims.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { ALGORITHMS } from '../keys/signing-key.ts';
import { trimIssuer } from '../url-rules.ts';

export type FindKeys = (kid: string, algorithm: string) => Promise<readonly KeyObject[]>;

/**
 * Verifies signature, algorithm, issuer, audience and times with koa-jwt. The function rejects with what
 * `findKeys` threw, or an error of the library.
 * koa-jwt gets a context of its own, because it would take a `secret` from the request's state, and read the
 * header again. Of the token's header, only `kid` and `alg` are used: `jku`, `x5u`, `jwk` and `x5c` are
 * ignored.
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
    // A getter, because each verification copies the options and so gets the current time.
    get clockTimestamp() {
      return Math.floor(clock().getTime() / 1000);
    },
    key: 'claims',
    getToken: ({ state }: { readonly state: { readonly token?: string } }) => state.token ?? null,
    secret: async (header: { readonly kid: string; readonly alg: string }) => {
      const keys = await findKeys(header.kid, header.alg);
      if (keys.length === 0) throw new UnknownKey();
      // SAFETY: the library also accepts a KeyObject, which avoids parsing PEM each time.
      return keys as unknown as string[];
    },
  };
  const verify = koaJwt(options);
  return async (token) => {
    const state: { token: string; claims?: unknown } = { token };
    const context = { state, throw: rethrow };
    // SAFETY: koa-jwt uses only these two properties of a context.
    await verify(context as unknown as Parameters<typeof verify>[0], () => Promise.resolve());
    if (!isJsonObject(state.claims)) throw new Error('the payload is not a JSON object');
    return state.claims;
  };
}

/** Error for a token whose `kid` no key of the provider has. */
export class UnknownKey extends Error {}

/** Throws the original error. koa-jwt turns every failure into 401, with the cause in `originalError`. */
function rethrow(_status: number, message: string, properties?: { readonly originalError?: unknown }): never {
  const cause = properties?.originalError;
  throw cause instanceof Error ? cause : new Error(message, { cause });
}

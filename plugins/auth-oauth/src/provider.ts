import { findGroupOverage, type PluginContext, type Identity } from '@portolan/plugin-api';
import { findClaimFaults, findTokenFaults } from './tokens/check-claims.ts';
import { Introspector } from './tokens/introspector.ts';
import { type JsonObject, freezeJson, textOf } from './json.ts';
import { createJwtVerifier, UnknownKey } from './tokens/jwt-verifier.ts';
import { KeyFetcher } from './keys/key-fetcher.ts';
import { KeySet } from './keys/key-set.ts';
import type { ParsedToken } from './tokens/parse-token.ts';
import type { ProviderSettings } from './config/provider-settings.ts';
import type { Timing } from './timing.ts';
import { trimIssuer } from './url-rules.ts';
import type { Fault, Verdict } from './tokens/verdict.ts';

type Around = Pick<PluginContext, 'clock' | 'nowMs' | 'logger'>;

/** Verifies tokens of one identity provider. A token never makes it throw. */
export class Provider {
  readonly settings: ProviderSettings;
  readonly #fetcher: KeyFetcher;
  readonly #keys: KeySet;
  readonly #verify: (token: string) => Promise<JsonObject>;
  readonly #introspector: Introspector | undefined;
  readonly #hasKeys: boolean;
  readonly #timing: Timing;
  readonly #clock: () => Date;

  constructor(settings: ProviderSettings, { clock, nowMs, logger }: Around, timing: Timing) {
    const fetcher = new KeyFetcher(settings, timing, nowMs);
    const { name, issuerUrl, jwksUrl, introspectionUrl, clientId } = settings;
    const fetchKeys = (signal: AbortSignal): ReturnType<KeyFetcher['fetch']> => fetcher.fetch(signal);
    const keys = new KeySet({ provider: name, fetchKeys, timing, nowMs, logger });
    this.settings = settings;
    this.#fetcher = fetcher;
    this.#keys = keys;
    this.#verify = createJwtVerifier(settings, (kid, algorithm) => keys.find(kid, algorithm), clock);
    this.#hasKeys = issuerUrl !== undefined || jwksUrl !== undefined;
    const findUrl = (signal: AbortSignal): Promise<string | undefined> =>
      introspectionUrl === undefined ? fetcher.findIntrospection(signal) : Promise.resolve(introspectionUrl);
    const introspects = introspectionUrl !== undefined || clientId !== undefined;
    this.#introspector = introspects ? new Introspector(findUrl, settings, timing) : undefined;
    this.#timing = timing;
    this.#clock = clock;
  }

  get name(): string {
    return this.settings.name;
  }

  /** Number that changes when a key was withdrawn. Tokens accepted before must then be verified again. */
  get generation(): number {
    return this.#keys.generation;
  }

  get introspects(): boolean {
    return this.#introspector !== undefined;
  }

  hasIssued({ claims: { iss } }: ParsedToken): boolean {
    const { issuerUrl } = this.settings;
    return issuerUrl === undefined || (typeof iss === 'string' && trimIssuer(iss) === trimIssuer(issuerUrl));
  }

  /**
   * Verifies any token: a JWT with the provider's keys, if it has keys, and all other tokens by
   * introspection.
   */
  examine(token: string, parsed: ParsedToken | undefined): Promise<Verdict> {
    return parsed === undefined || !this.#hasKeys
      ? this.examineOpaque(token)
      : this.examineJwt(token, parsed);
  }

  /** Fetches keys only when the token has no other fault. */
  async examineJwt(token: string, parsed: ParsedToken): Promise<Verdict> {
    const faults = findTokenFaults(parsed, this.settings, this.#clock());
    if (isFilled(faults)) return { outcome: 'refused', faults };
    try {
      const claims = await this.#verify(token);
      const { audience, clientIds } = this.settings;
      const recipient =
        clientIds === undefined ? 'audience' : audience === undefined ? 'client' : 'audience, client';
      const because = `signature, issuer, ${recipient} and times are good; it expires at ${expiryOf(claims)}`;
      return this.#accept(claims, because, this.#timing.tokenMs, false);
    } catch (error) {
      return toRefusal(error, parsed);
    }
  }

  async examineOpaque(token: string): Promise<Verdict> {
    if (this.#introspector === undefined) return NOT_LOOKED_UP;
    let claims: JsonObject | 'inactive' | 'no-endpoint';
    try {
      claims = await this.#introspector.findClaims(token);
    } catch (cause) {
      return { outcome: 'unavailable', cause };
    }
    if (claims === 'no-endpoint') return NOT_LOOKED_UP;
    if (claims === 'inactive') return refused('inactive', 'introspection says that it is not active');
    const faults = findClaimFaults(claims, this.settings, this.#clock());
    if (isFilled(faults)) return { outcome: 'refused', faults };
    return this.#accept(claims, 'introspection says that it is active', this.#timing.opaqueMs, true);
  }

  /** Fetches the keys before the first token needs them. Never rejects. */
  async warmUp(): Promise<void> {
    if (this.#hasKeys) await this.#keys.prefetch();
  }

  async isForAnyTenant(signal: AbortSignal): Promise<boolean> {
    return await this.#fetcher.isForAnyTenant(signal);
  }

  async close(): Promise<void> {
    this.#introspector?.close();
    await this.#keys.close();
    await this.settings.connection.close();
  }

  #accept(claims: JsonObject, because: string, rememberMs: number, claimsMayChange: boolean): Verdict {
    const { exp } = claims;
    const endMs = typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
    const goodUntilMs = Math.min(this.#clock().getTime() + rememberMs, endMs);
    const identity = toIdentity(claims, this.name);
    const overage = findGroupOverage(claims);
    const whole = overage === undefined ? because : `${because}. ${overage.replace(/\.$/, '')}`;
    return { outcome: 'accepted', identity, because: whole, goodUntilMs, claimsMayChange };
  }
}

function expiryOf({ exp }: JsonObject): string {
  const date = new Date(Number(exp) * 1000);
  return Number.isNaN(date.getTime()) ? 'no date of this calendar' : date.toISOString();
}

/**
 * Returns the verdict for an error of the verification: the keys are unavailable, or the token is invalid.
 */
function toRefusal(error: unknown, { header }: ParsedToken): Verdict {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_OAUTH_KEYS') {
    return { outcome: 'unavailable', cause: error };
  }
  if (error instanceof UnknownKey) {
    const kid = JSON.stringify(header['kid']).slice(0, 200);
    return refused('unknown-key', `the provider publishes no key ${kid} for ${String(header['alg'])}`);
  }
  const what = error instanceof Error ? error.message : String(error);
  return refused('signature', `its signature is wrong (${what})`);
}

function refused(reason: Fault['reason'], because: string): Verdict {
  return { outcome: 'refused', faults: [{ reason, because }] };
}

const NOT_LOOKED_UP = refused(
  'not-a-jwt',
  'it is no JWT, and the provider has no introspectionUrl to look it up',
);

function isFilled(faults: readonly Fault[]): faults is readonly [Fault, ...Fault[]] {
  return faults.length > 0;
}

/** Converts claims to an identity. It is frozen, because callers cache results by it. */
function toIdentity(claims: JsonObject, provider: string): Identity {
  const user = textOf(claims['name']) ?? textOf(claims['preferred_username']) ?? textOf(claims['email']);
  return Object.freeze({
    subject: textOf(claims['sub']) ?? '',
    claims: freezeJson(claims),
    ...(user === undefined ? {} : { user }),
    provider,
  });
}

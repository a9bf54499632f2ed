import { digestOf } from './bearer-token.ts';
import { findGroupOverage, type Identity, type PluginContext, type TokenVerdict } from '@portolan/plugin-api';
import { type ParsedToken, parseToken } from './parse-token.ts';
import type { Provider } from '../provider.ts';
import { TokenMemory } from './token-memory.ts';
import type { RefusalReason, Verdict } from './verdict.ts';

export type Examination =
  | { readonly outcome: 'accepted'; readonly identity: Identity }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason | 'no-provider' }
  | { readonly outcome: 'unavailable'; readonly cause: unknown };

interface ProviderVerdict {
  readonly provider: Provider;
  readonly generation: number;
  readonly verdict: Verdict;
}

/** Maximum length of a token. A longer token is refused without being parsed. */
export const MAX_TOKEN_CHARACTERS = 16 * 1024;

export class TokenExaminer {
  readonly #providers: readonly Provider[];
  readonly #logger: PluginContext['logger'];
  readonly #memory: TokenMemory;
  readonly #underWay = new Map<string, Promise<Examination>>();

  constructor(providers: readonly Provider[], { clock, logger }: Pick<PluginContext, 'clock' | 'logger'>) {
    this.#providers = providers;
    this.#logger = logger;
    this.#memory = new TokenMemory(clock);
  }

  /** Returns the cached identity of a token, found by its SHA-256. */
  find(digest: string): Identity | undefined {
    return this.#memory.find(digest);
  }

  /** Verifies a token. Concurrent requests with the same token share one verification. */
  async examine(token: string, digest = digestOf(token)): Promise<Examination> {
    if (token.length > MAX_TOKEN_CHARACTERS) return this.#refuse([{ reason: 'too-long' }]);
    const identity = this.#memory.find(digest);
    if (identity !== undefined) return { outcome: 'accepted', identity };
    const underWay = this.#underWay.get(digest);
    if (underWay !== undefined) return underWay;
    const started = this.#ask(token, digest).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, started);
    return started;
  }

  /** Returns the verdict of each provider, in the order of the configuration. */
  async explain(token: string): Promise<readonly TokenVerdict[]> {
    if (token.length > MAX_TOKEN_CHARACTERS) {
      const because = `The token is refused: it is longer than ${MAX_TOKEN_CHARACTERS} characters.`;
      return this.#providers.map((provider) => ({ ...headOf(provider), accepted: false, because }));
    }
    const parsed = parseToken(token);
    const messages = this.#providers.map((provider) => say(provider, token, parsed));
    return (await Promise.all(messages)).map(toTokenVerdict);
  }

  async #ask(token: string, digest: string): Promise<Examination> {
    const parsed = parseToken(token);
    const texts = parsed === undefined ? await this.#lookUp(token) : await this.#verify(token, parsed);
    for (const { provider, generation, verdict } of texts) {
      if (verdict.outcome !== 'accepted') continue;
      const overage = findGroupOverage(verdict.identity.claims);
      if (overage !== undefined) this.#logger.warn({ provider: provider.name }, overage);
      const identity = this.#memory.remember({ digest, size: token.length }, provider, generation, verdict);
      return { outcome: 'accepted', identity };
    }
    for (const { provider, verdict } of texts) {
      if (verdict.outcome !== 'unavailable') continue;
      this.#logger.info(
        { provider: provider.name, err: verdict.cause },
        'a token could not be verified, because its identity provider is unavailable',
      );
      return { outcome: 'unavailable', cause: verdict.cause };
    }
    return this.#refuse(texts.flatMap(reasonsOf));
  }

  /** Verifies a JWT with the providers that may have issued it, in order, until one accepts it. */
  async #verify(token: string, parsed: ParsedToken): Promise<readonly ProviderVerdict[]> {
    const messages: ProviderVerdict[] = [];
    for (const provider of this.#providers) {
      if (!provider.hasIssued(parsed)) continue;
      const verdict = await say(provider, token, parsed);
      messages.push(verdict);
      if (verdict.verdict.outcome === 'accepted') break;
    }
    return messages;
  }

  /**
   * Verifies an opaque token with all providers that support introspection, in parallel, so that none waits
   * for an unreachable one.
   */
  async #lookUp(token: string): Promise<readonly ProviderVerdict[]> {
    const requests = this.#providers
      .filter(({ introspects }) => introspects)
      .map((provider) => say(provider, token, undefined));
    const accepted = requests.map(async (verdict) => {
      const examined = await verdict;
      if (examined.verdict.outcome !== 'accepted') throw new Error('not accepted');
      return [examined];
    });
    return Promise.any(accepted).catch(() => Promise.all(requests));
  }

  #refuse(reasons: readonly { readonly provider?: string; readonly reason: RefusalReason }[]): Examination {
    const known = reasons.length > 0 ? reasons : [{ reason: 'no-provider' as const }];
    this.#logger.info({ refused: known }, 'a token was refused');
    return { outcome: 'refused', reason: known[0]?.reason ?? 'no-provider' };
  }
}

async function say(
  provider: Provider,
  token: string,
  parsed: ParsedToken | undefined,
): Promise<ProviderVerdict> {
  const { generation } = provider;
  const verdict = await provider.examine(token, parsed);
  return { provider, generation, verdict };
}

function reasonsOf({
  provider,
  verdict,
}: ProviderVerdict): readonly { provider: string; reason: RefusalReason }[] {
  if (verdict.outcome !== 'refused') return [];
  return verdict.faults.map(({ reason }) => ({ provider: provider.name, reason }));
}

function toTokenVerdict({ provider, verdict }: ProviderVerdict): TokenVerdict {
  const head = headOf(provider);
  switch (verdict.outcome) {
    case 'accepted': {
      const { identity, because } = verdict;
      return { ...head, accepted: true, because: `The token is accepted: ${because}.`, identity };
    }
    case 'refused': {
      const faults = verdict.faults.map(({ because }) => because).join('; ');
      return { ...head, accepted: false, because: `The token is refused: ${faults}.` };
    }
    case 'unavailable': {
      const because = `The token cannot be checked: ${describe(verdict.cause)}`;
      return { ...head, accepted: false, because };
    }
    default:
      return verdict satisfies never;
  }
}

function headOf({ settings: { name, issuerUrl } }: Provider): Pick<TokenVerdict, 'provider' | 'issuer'> {
  return { provider: name, issuer: issuerUrl ?? '' };
}

/** Returns the messages of an error and of its causes. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}

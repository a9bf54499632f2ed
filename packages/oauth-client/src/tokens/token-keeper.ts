import { reasonIn } from '@portolan/outbound';
import {
  type CredentialsState,
  isPortolanError,
  type Logger,
  type PortolanError,
} from '@portolan/plugin-api';
import { loginExpired, tokenUnavailable } from '../errors.ts';
import type { TokenSet } from './token-set.ts';

export interface TokenKeeperOptions {
  /**
   * Trades the stored refresh token for new tokens, and stores what came. Throws
   * ERR_LOGIN_EXPIRED, ERR_LOGIN_REFUSED and ERR_LOGIN_UNTRUSTED where nobody but a
   * person can help, and anything else for what may pass. The signal says that nobody needs
   * them any more; what has begun then is ended all the same.
   */
  readonly renew: (signal: AbortSignal) => Promise<TokenSet>;
  /** Wall clock, for comparison with the expiry of a token. */
  readonly clock: () => Date;
  /** Monotonic time in milliseconds, for intervals; default `performance.now`. */
  readonly nowMs?: () => number;
  readonly logger: Logger;
  readonly changed: (state: CredentialsState) => void;
  readonly pace?: Partial<RefreshPace>;
}

/** Times in milliseconds. */
export interface RefreshPace {
  /** How long before its end a token is renewed; of a short one, a tenth of its life at most. */
  readonly aheadMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Tries in a row before they become rare, and how long they may take together. */
  readonly quickTries: number;
  readonly quickMs: number;
  readonly slowRetryMs: number;
  /** How long it is tried at all. */
  readonly giveUpMs: number;
}

export const REFRESH_PACE: RefreshPace = {
  aheadMs: 60_000,
  firstRetryMs: 10_000,
  longestRetryMs: 120_000,
  quickTries: 5,
  quickMs: 300_000,
  slowRetryMs: 600_000,
  giveUpMs: 24 * 3600_000,
};

/** What another try would not change; a secret store or an issuer that cannot be had at the moment may be there later. */
const FINAL: ReadonlySet<string> = new Set(['ERR_LOGIN_EXPIRED', 'ERR_LOGIN_REFUSED', 'ERR_LOGIN_UNTRUSTED']);

/** However short tokens live, or are said to: no server is asked more often unless somebody waits for one. */
const LEAST_PAUSE_MS = 1000;

/** How often tokens are renewed since the remote refuses them while they are new; the next ones it may refuse to whoever asks. */
const REPLACED = { most: 10, withinMs: 600_000, youngMs: 10_000 };

/** The longest that a timer of Node.js waits. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Renewals that fail for a reason that may pass. */
interface Failing {
  readonly since: number;
  readonly tries: number;
  readonly error: Error;
  /** Whether it was said; it is not as long as nobody notices. */
  readonly isSaid: boolean;
}

/**
 * Keeps a login good: gives its access token, and renews it ahead of time, once
 * for all who ask. While that fails for a reason that may pass, who asks is told
 * at once, and it is tried again ever more rarely.
 */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #pace: RefreshPace;
  readonly #closing = new AbortController();
  #tokens: TokenSet | undefined;
  #takenAt = 0;
  /** The one that the remote has refused. */
  #refused: string | undefined;
  #renewing: Promise<TokenSet> | undefined;
  #failing: Failing | undefined;
  /** When tokens were renewed since the remote had refused them. */
  #replacedAt: readonly number[] = [];
  #over: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#pace = { ...REFRESH_PACE, ...options.pace };
  }

  /** Tokens that somebody has just got; everything is well from here on. */
  take(tokens: TokenSet): void {
    this.#tokens = tokens;
    this.#takenAt = this.#now();
    this.#refused = undefined;
    this.#over = undefined;
    this.#wellAgain();
    this.#plan();
  }

  /** The access token for one request. Throws ERR_LOGIN_TOKEN while none can be had, and ERR_LOGIN_EXPIRED. */
  async token(): Promise<string> {
    if (this.#over !== undefined) throw this.#over;
    const tokens = this.#tokens;
    if (tokens !== undefined && !this.#hasEnded(tokens)) return tokens.accessToken;
    const failing = this.#failing;
    if (failing !== undefined && this.#renewing === undefined) {
      if (!failing.isSaid) this.#sayRetrying(failing);
      throw failing.error;
    }
    return (await this.#renew()).accessToken;
  }

  /** The server has refused this token: whether there is another one now. */
  async replaced(refused: string): Promise<boolean> {
    if (this.#over !== undefined) return false;
    try {
      if (this.#tokens?.accessToken !== refused) return this.#tokens !== undefined;
      this.#refused = refused;
      if (this.#failing?.isSaid === false) this.#sayRetrying(this.#failing);
      // It is tried again at its own pace, however many requests are refused meanwhile.
      if (this.#failing !== undefined && this.#renewing === undefined) return false;
      if (this.#renewing === undefined && !this.#mayReplace()) return false;
      const renewed = await this.#renew();
      if (renewed.accessToken !== refused) return true;
      // Nothing but this one can be had.
      if (renewed.refreshToken === undefined)
        this.#end(loginExpired('the remote server refuses the token, and there is none to renew it with'));
      return false;
    } catch {
      // What it was was told where it happened.
      return false;
    }
  }

  /** Somebody may have logged in meanwhile: what is stored is tried at once. */
  async again(): Promise<void> {
    this.#over = undefined;
    this.#failing = undefined;
    this.#replacedAt = [];
    await this.#renew().catch(() => undefined);
  }

  /** Ends it; a renewal that has begun is brought to its end, since its refresh token may be used up. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#renewing?.catch(() => undefined);
  }

  /** One for all who ask at the same time. */
  #renew(): Promise<TokenSet> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewOnce(): Promise<TokenSet> {
    const { renew, logger } = this.#options;
    try {
      const tokens = await renew(this.#closing.signal);
      this.take(tokens);
      return tokens;
    } catch (cause) {
      const error = isPortolanError(cause) ? cause : tokenUnavailable(reasonIn(cause), cause);
      if (this.#closing.signal.aborted) throw error;
      logger.warn({ err: error }, 'the token could not be renewed');
      if (FINAL.has(error.code)) this.#end(error);
      else this.#later(error);
      throw this.#over ?? error;
    }
  }

  #later(error: Error): void {
    const now = this.#now();
    const before = this.#failing ?? { since: now, tries: 0, isSaid: false };
    const failing = { ...before, tries: before.tries + 1, error };
    this.#failing = failing;
    const { firstRetryMs, longestRetryMs, quickTries, quickMs, slowRetryMs, giveUpMs } = this.#pace;
    if (now - failing.since >= giveUpMs) {
      this.#end(loginExpired('it could not be renewed for too long', error));
      return;
    }
    const isQuick = failing.tries < quickTries && now - failing.since < quickMs;
    // As long as there is a token that is good, a fault of a moment changes nothing for anybody.
    const isNoticed =
      this.#tokens === undefined ||
      this.#tokens.accessToken === this.#refused ||
      this.#hasEnded(this.#tokens);
    if (failing.isSaid || isNoticed || !isQuick) this.#sayRetrying(failing);
    this.#wait(isQuick ? Math.min(firstRetryMs * 2 ** before.tries, longestRetryMs) : slowRetryMs);
  }

  #sayRetrying(failing: Failing): void {
    this.#failing = { ...failing, isSaid: true };
    this.#options.changed({ is: 'retrying', why: failing.error.message });
  }

  /** Whether a token that the remote refuses may be renewed now: not for ever, where it refuses whatever it gets. */
  #mayReplace(): boolean {
    const now = this.#now();
    // One that was good for a while, such as one that does not say when it ends, has just ended.
    if (now - this.#takenAt >= REPLACED.youngMs) return true;
    const lately = this.#replacedAt.filter((at) => now - at < REPLACED.withinMs);
    const may = lately.length < REPLACED.most;
    this.#replacedAt = may ? [...lately, now] : lately;
    return may;
  }

  #end(error: PortolanError): void {
    this.#failing = undefined;
    const over =
      error.code === 'ERR_LOGIN_EXPIRED'
        ? error
        : loginExpired(`it cannot be renewed (${error.message.replace(/\.$/, '')})`, error);
    this.#over = over;
    clearTimeout(this.#timer);
    this.#options.changed({ is: 'over', why: over.message });
  }

  #wellAgain(): void {
    this.#failing = undefined;
    this.#options.changed({ is: 'good' });
  }

  /** Renews ahead of the end; what says no end is renewed when the remote refuses it. */
  #plan(): void {
    const { expiresAt, refreshToken } = this.#tokens ?? {};
    clearTimeout(this.#timer);
    if (expiresAt === undefined) return;
    const left = expiresAt.getTime() - this.#options.clock().getTime();
    // Without a refresh token nothing can be had before it ends, and then it is told at once.
    const ahead = refreshToken === undefined ? 0 : Math.min(this.#pace.aheadMs, left / 10);
    this.#wait(Math.max(left - ahead, LEAST_PAUSE_MS));
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(
      () => {
        // It was told where it happened, and is tried again.
        void this.#renew().catch(() => undefined);
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    this.#timer.unref();
  }

  #now(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }

  #hasEnded({ expiresAt }: TokenSet): boolean {
    return expiresAt !== undefined && expiresAt.getTime() <= this.#options.clock().getTime();
  }
}

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
   * Exchanges the refresh token and stores the result. Throws ERR_LOGIN_EXPIRED, ERR_LOGIN_REFUSED and
   * ERR_LOGIN_UNTRUSTED when only the user can help; other errors are transient. A started exchange completes
   * in spite of the signal.
   */
  readonly renew: (signal: AbortSignal) => Promise<TokenSet>;
  readonly clock: () => Date;
  readonly nowMs?: () => number;
  readonly logger: Logger;
  readonly changed: (state: CredentialsState) => void;
  readonly pace?: Partial<RefreshPace>;
}

/** Times in milliseconds. */
export interface RefreshPace {
  /** Time before expiry at which a token is renewed; at most a tenth of its lifetime. */
  readonly aheadMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /**
   * Number of quick retries, and their total time in milliseconds, before the interval between retries grows.
   */
  readonly quickTries: number;
  readonly quickMs: number;
  readonly slowRetryMs: number;
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

/** Permanent errors. An unavailable secret store or issuer is transient. */
const FINAL: ReadonlySet<string> = new Set(['ERR_LOGIN_EXPIRED', 'ERR_LOGIN_REFUSED', 'ERR_LOGIN_UNTRUSTED']);

/** Minimum pause between renewals in milliseconds, unless a caller waits. */
const LEAST_PAUSE_MS = 1000;

/**
 * Limits of renewals that a rejecting remote server may cause. Beyond these limits, the caller gets the
 * rejection.
 */
const REPLACED = { most: 10, withinMs: 600_000, youngMs: 10_000 };

const MAX_TIMER_MS = 2 ** 31 - 1;

interface Failing {
  readonly since: number;
  readonly tries: number;
  readonly error: Error;
  /** Whether the failure was reported. It is reported only when a caller is affected. */
  readonly isSaid: boolean;
}

/**
 * Renews an access token ahead of expiry, once for all callers. During a transient failure, callers get the
 * error at once, and retries become rarer.
 */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #pace: RefreshPace;
  readonly #closing = new AbortController();
  #tokens: TokenSet | undefined;
  #takenAt = 0;
  #refused: string | undefined;
  #renewing: Promise<TokenSet> | undefined;
  #failing: Failing | undefined;
  #replacedAt: readonly number[] = [];
  #over: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#pace = { ...REFRESH_PACE, ...options.pace };
  }

  take(tokens: TokenSet): void {
    this.#tokens = tokens;
    this.#takenAt = this.#now();
    this.#refused = undefined;
    this.#over = undefined;
    this.#wellAgain();
    this.#plan();
  }

  /**
   * Returns the access token for one request. Throws ERR_LOGIN_TOKEN while none is available, and
   * ERR_LOGIN_EXPIRED.
   */
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

  async replaced(refused: string): Promise<boolean> {
    if (this.#over !== undefined) return false;
    try {
      if (this.#tokens?.accessToken !== refused) return this.#tokens !== undefined;
      this.#refused = refused;
      if (this.#failing?.isSaid === false) this.#sayRetrying(this.#failing);
      // Rejected requests must not speed up the scheduled retries.
      if (this.#failing !== undefined && this.#renewing === undefined) return false;
      if (this.#renewing === undefined && !this.#mayReplace()) return false;
      const renewed = await this.#renew();
      if (renewed.accessToken !== refused) return true;
      if (renewed.refreshToken === undefined)
        this.#end(loginExpired('the remote server refuses the token, and there is none to renew it with'));
      return false;
    } catch {
      // The error was reported where it occurred.
      return false;
    }
  }

  /** Renews the token from the stored login at once, because the user may have logged in again. */
  async again(): Promise<void> {
    this.#over = undefined;
    this.#failing = undefined;
    this.#replacedAt = [];
    await this.#renew().catch(() => undefined);
  }

  /** Completes a started renewal, because its refresh token may be used up. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#renewing?.catch(() => undefined);
  }

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
    // While the current token is valid, a transient failure affects no caller, so it is not reported.
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

  /**
   * Returns whether to renew a rejected token. Limits renewals for a remote server that rejects every token.
   */
  #mayReplace(): boolean {
    const now = this.#now();
    // A token that was accepted for a while has probably expired, so its renewal does not count against the
    // limit.
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

  /**
   * Schedules the next renewal. A token without an expiry is renewed only when the remote server rejects it.
   */
  #plan(): void {
    const { expiresAt, refreshToken } = this.#tokens ?? {};
    clearTimeout(this.#timer);
    if (expiresAt === undefined) return;
    const left = expiresAt.getTime() - this.#options.clock().getTime();
    // Without a refresh token, the expiry is reported when it happens.
    const ahead = refreshToken === undefined ? 0 : Math.min(this.#pace.aheadMs, left / 10);
    this.#wait(Math.max(left - ahead, LEAST_PAUSE_MS));
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(
      () => {
        // The error was reported where it occurred, and the renewal is retried.
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

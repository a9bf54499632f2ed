import { isPortolanError, type Logger } from '@portolan/plugin-api';
import { loginExpired, tokenUnavailable } from '../errors.ts';
import type { TokenSet } from './token-set.ts';

/** How it stands with a login. */
export type LoginState =
  | { readonly is: 'good' }
  /** Tokens cannot be renewed at the moment. */
  | { readonly is: 'retrying'; readonly why: string }
  /** Somebody has to log in again. */
  | { readonly is: 'over'; readonly why: string };

export interface TokenKeeperOptions {
  /**
   * Trades the stored refresh token for new tokens, and stores what came. Throws
   * ERR_LOGIN_EXPIRED and ERR_LOGIN_TOKEN. The signal says that nobody needs
   * them any more; what has begun then is ended all the same.
   */
  readonly renew: (signal: AbortSignal) => Promise<TokenSet>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly changed: (state: LoginState) => void;
  readonly pace?: Partial<RefreshPace>;
}

/** Times in milliseconds (spec run-formats.md 15.5). */
export interface RefreshPace {
  /** How long before its end a token is renewed; of a short one, a tenth of its life at most. */
  readonly aheadMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Tries in a row before they become rare. */
  readonly quickTries: number;
  readonly slowRetryMs: number;
  /** How long it is tried at all. */
  readonly giveUpMs: number;
}

export const REFRESH_PACE: RefreshPace = {
  aheadMs: 60_000,
  firstRetryMs: 10_000,
  longestRetryMs: 120_000,
  quickTries: 5,
  slowRetryMs: 600_000,
  giveUpMs: 24 * 3600_000,
};

/** The longest that a timer of Node.js waits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
  #renewing: Promise<TokenSet> | undefined;
  #failing: { readonly since: number; tries: number; readonly error: Error } | undefined;
  #over: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#pace = { ...REFRESH_PACE, ...options.pace };
  }

  /** Tokens that somebody has just got; everything is well from here on. */
  take(tokens: TokenSet): void {
    this.#tokens = tokens;
    this.#over = undefined;
    this.#wellAgain();
    this.#plan();
  }

  /** The access token for one request. Throws ERR_LOGIN_TOKEN while none can be had, and ERR_LOGIN_EXPIRED. */
  async token(): Promise<string> {
    if (this.#over !== undefined) throw this.#over;
    const tokens = this.#tokens;
    if (tokens !== undefined && !this.#hasEnded(tokens)) return tokens.accessToken;
    if (this.#failing !== undefined && this.#renewing === undefined) throw this.#failing.error;
    return (await this.#renew()).accessToken;
  }

  /** The server has refused this token: whether there is another one now. */
  async replaced(refused: string): Promise<boolean> {
    try {
      if (this.#tokens?.accessToken !== refused)
        return this.#over === undefined && this.#tokens !== undefined;
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
      const error = cause instanceof Error ? cause : tokenUnavailable('for an unknown reason', cause);
      if (this.#closing.signal.aborted) throw error;
      logger.warn({ err: error }, 'the token could not be renewed');
      if (isPortolanError(error) && error.code === 'ERR_LOGIN_TOKEN') this.#later(error);
      else this.#end(error);
      throw error;
    }
  }

  #later(error: Error): void {
    const now = this.#options.clock().getTime();
    const failing = this.#failing ?? { since: now, tries: 0, error };
    this.#failing = { ...failing, tries: failing.tries + 1, error };
    const { firstRetryMs, longestRetryMs, quickTries, slowRetryMs, giveUpMs } = this.#pace;
    if (now - failing.since >= giveUpMs) {
      this.#end(loginExpired('it could not be renewed for too long', error));
      return;
    }
    this.#options.changed({ is: 'retrying', why: error.message });
    const quick = Math.min(firstRetryMs * 2 ** failing.tries, longestRetryMs);
    this.#wait(this.#failing.tries >= quickTries ? slowRetryMs : quick);
  }

  #end(error: Error): void {
    this.#failing = undefined;
    this.#over = error;
    clearTimeout(this.#timer);
    this.#options.changed({ is: 'over', why: error.message });
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
    this.#wait(Math.max(left - ahead, 0));
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(
      () => {
        // It was told where it happened, and is tried again.
        void this.#renew().catch(() => undefined);
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    this.#timer.unref();
  }

  #hasEnded({ expiresAt }: TokenSet): boolean {
    return expiresAt !== undefined && expiresAt.getTime() <= this.#options.clock().getTime();
  }
}

import { setTimeout as pass } from 'node:timers/promises';
import type { ProbeResult } from '@portolan/mcp-client';

export interface HealthLimits {
  /** Maximum time of one check, in milliseconds. */
  readonly askMs: number;
  /** Time between two checks, in milliseconds. */
  readonly retryMs: number;
  /** Number of consecutive failures after which the server counts as unresponsive. */
  readonly failures: number;
}

const MEMBER_HEALTH_LIMITS: HealthLimits = { askMs: 5000, retryMs: 2000, failures: 3 };

export interface MemberHealthOptions {
  readonly ask: (signal: AbortSignal) => Promise<ProbeResult>;
  /** Called when the server counts as unresponsive, and again after each further such number of failures. */
  readonly failed: (why: string) => void;
  /** Called when an unresponsive server responds again. */
  readonly recovered: () => void;
  readonly limits?: HealthLimits;
}

/**
 * Health checks of a member over HTTP. They begin when a request has failed or is late, and end with the first
 * response, so that a healthy server gets none.
 */
export class MemberHealth {
  readonly #options: MemberHealthOptions;
  readonly #limits: HealthLimits;
  readonly #stop = new AbortController();
  #checking: Promise<void> | undefined;

  constructor(options: MemberHealthOptions) {
    this.#options = options;
    this.#limits = options.limits ?? MEMBER_HEALTH_LIMITS;
  }

  /** Begins to check the server, unless a check is running. */
  suspect(): void {
    if (this.#stop.signal.aborted) return;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
  }

  /** Ends the checks. Idempotent. Never rejects. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { failed, recovered } = this.#options;
    const { retryMs, failures: max } = this.#limits;
    const { signal } = this.#stop;
    for (let failures = 1; ; failures += 1) {
      const why = await this.#askOnce();
      if (signal.aborted) return;
      if (why === undefined) {
        if (failures > max) recovered();
        return;
      }
      if (failures % max === 0) failed(why);
      await pass(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Returns why the server does not respond; undefined when it does. */
  async #askOnce(): Promise<string | undefined> {
    const late = AbortSignal.timeout(this.#limits.askMs);
    try {
      const result = await this.#options.ask(AbortSignal.any([late, this.#stop.signal]));
      return result.outcome === 'nothing' ? result.why : undefined;
    } catch (error) {
      if (late.aborted) return `it sent no response within ${this.#limits.askMs / 1000} s`;
      return error instanceof Error ? error.message : String(error);
    }
  }
}

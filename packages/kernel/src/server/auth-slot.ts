import type { Logger } from '@portolan/plugin-api';
import type { KernelAuth } from './kernel.ts';
import { withinTime } from '../lifetime/within-time.ts';

export class AuthSlot {
  #current: KernelAuth;
  readonly #logger: Logger;
  readonly #limitMs: number | undefined;
  readonly #retired = new Map<KernelAuth, NodeJS.Timeout>();
  #isClosed = false;

  constructor(current: KernelAuth, logger: Logger, limitMs: number | undefined) {
    this.#current = current;
    this.#logger = logger;
    this.#limitMs = limitMs;
  }

  get current(): KernelAuth {
    return this.#current;
  }

  /**
   * Replaces the auth provider. Closes the previous provider after the grace period, or at once when `close`
   * is called.
   */
  replace(next: KernelAuth, graceMs: number): void {
    if (this.#isClosed) return this.#closeAndLog(next);
    const before = this.#current;
    this.#current = next;
    const timer = setTimeout(() => {
      this.#retired.delete(before);
      this.#closeAndLog(before);
    }, graceMs);
    this.#retired.set(before, timer.unref());
  }

  /**
   * Closes the current provider and the replaced ones. Throws the first error after all of them were closed.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#retired.keys(), this.#current];
    for (const timer of this.#retired.values()) clearTimeout(timer);
    this.#retired.clear();
    const closed = await Promise.allSettled(all.map((one) => this.#close(one)));
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  }

  #closeAndLog(auth: KernelAuth): void {
    this.#close(auth).catch((error: unknown) => {
      this.#logger.error({ part: nameOf(auth), error }, 'closing a part failed');
    });
  }

  async #close({ provider }: KernelAuth): Promise<void> {
    await withinTime(() => provider.instance.close?.(), this.#limitMs);
  }
}

export function nameOf({ config }: KernelAuth): string {
  return `the auth provider "${config.mode}"`;
}

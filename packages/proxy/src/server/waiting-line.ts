import type { PortolanError } from '@portolan/plugin-api';
import { sessionEnded } from '../errors/session-errors.ts';

interface Waiter {
  readonly isWanted: () => boolean;
  readonly admitted: PromiseWithResolvers<void>;
  readonly timer: NodeJS.Timeout;
}

export class WaitingLine {
  readonly #waiters: Waiter[] = [];

  get length(): number {
    return this.#waiters.length;
  }

  /**
   * Waits until `admit` lets this caller through. Rejects with `late` after `maxMs`, and when the queue
   * closes.
   */
  wait(isWanted: () => boolean, maxMs: number, late: () => PortolanError): Promise<void> {
    const admitted = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      admitted.reject(late());
    }, maxMs);
    const waiter = { isWanted, admitted, timer };
    this.#waiters.push(waiter);
    return admitted.promise;
  }

  /** Admits the first caller whose `isWanted` returns true; returns whether there was one. */
  admit(): boolean {
    for (let waiter = this.#waiters.shift(); waiter !== undefined; waiter = this.#waiters.shift()) {
      clearTimeout(waiter.timer);
      if (waiter.isWanted()) {
        waiter.admitted.resolve();
        return true;
      }
      waiter.admitted.reject(sessionEnded());
    }
    return false;
  }

  close(why: PortolanError): void {
    for (const { admitted, timer } of this.#waiters.splice(0)) {
      clearTimeout(timer);
      admitted.reject(why);
    }
  }
}

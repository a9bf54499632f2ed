import type { PortolanError } from '@portolan/plugin-api';
import { sessionEnded } from '../errors/session-errors.ts';

interface Waiter {
  /** Whether it would still take a place. */
  readonly isWanted: () => boolean;
  readonly admitted: PromiseWithResolvers<void>;
  readonly timer: NodeJS.Timeout;
}

/** Those who wait for a place, in the order in which they came. */
export class WaitingLine {
  readonly #waiters: Waiter[] = [];

  get length(): number {
    return this.#waiters.length;
  }

  /** Settles once it was let in; rejects with `late` after that time, and when it is turned away. */
  wait(isWanted: () => boolean, mostMs: number, late: () => PortolanError): Promise<void> {
    const admitted = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      admitted.reject(late());
    }, mostMs);
    const waiter = { isWanted, admitted, timer };
    this.#waiters.push(waiter);
    return admitted.promise;
  }

  /** Lets in who waits longest and still wants to; answers whether there was anybody. */
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

  /** Turns everybody away. */
  close(why: PortolanError): void {
    for (const { admitted, timer } of this.#waiters.splice(0)) {
      clearTimeout(timer);
      admitted.reject(why);
    }
  }
}

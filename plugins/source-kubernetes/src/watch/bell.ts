import { setTimeout as pass } from 'node:timers/promises';

/** Time in milliseconds within which events count as one change, such as an `apply` of many objects. */
const REST_MS = 100;

/** Signal for a consumer. A signal while the consumer is busy is not lost. */
export class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async *rings(signal: AbortSignal): AsyncGenerator<void, void> {
    const onAbort = (): void => this.#wake?.();
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (this.#isRung || signal.aborted) resolve();
        });
        if (!signal.aborted) await pass(REST_MS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        this.#isRung = false;
        yield;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

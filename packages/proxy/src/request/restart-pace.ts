export interface RestartPace {
  /** Records a failed process. `livedMs` is 0 when the process did not start. */
  failed(livedMs: number): void;
  succeeded(): void;
  /** Whether recovery is unlikely. The pool then starts no spare process. */
  readonly isFailing: boolean;
  readonly delayMs: number;
  pause(signal: AbortSignal): Promise<void>;
}

/** Failures within these milliseconds, as when the engine stops, have one cause. */
const ONE_CAUSE_MS = 250;

/**
 * Counts processes that fail at the same time as one failure, also when different pools report them. A process
 * that lived shorter than the interval always counts.
 */
export class OneCausePace implements RestartPace {
  readonly #pace: RestartPace;
  readonly #nowMs: () => number;
  #failedMs = -Infinity;

  constructor(pace: RestartPace, nowMs: () => number) {
    this.#pace = pace;
    this.#nowMs = nowMs;
  }

  failed(livedMs: number): void {
    const sinceMs = this.#nowMs() - this.#failedMs;
    this.#failedMs = this.#nowMs();
    if (livedMs < ONE_CAUSE_MS || sinceMs >= ONE_CAUSE_MS) this.#pace.failed(livedMs);
  }

  succeeded(): void {
    this.#pace.succeeded();
  }

  get isFailing(): boolean {
    return this.#pace.isFailing;
  }

  get delayMs(): number {
    return this.#pace.delayMs;
  }

  pause(signal: AbortSignal): Promise<void> {
    return this.#pace.pause(signal);
  }
}

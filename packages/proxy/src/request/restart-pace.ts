/** When processes are started again, and when no more: kept by whoever keeps the workload alive, and asked by the pool. */
export interface RestartPace {
  /** A process ended, or never came to be; `livedMs` is 0 then. */
  failed(livedMs: number): void;
  /** A process did what it is there for: earlier failures are forgotten. */
  succeeded(): void;
  /** Whether processes fail so often that it will not get better by itself: none is started that nobody asks for. */
  readonly isFailing: boolean;
  /** How long the next start is to wait, in milliseconds. */
  readonly delayMs: number;
  /** Waits until the next start is due. Rejects when the signal aborts. */
  pause(signal: AbortSignal): Promise<void>;
}

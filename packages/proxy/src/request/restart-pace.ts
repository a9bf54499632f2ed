/** Back-off of restarts, kept by the owner of the workload. */
export interface RestartPace {
  /** `livedMs` is 0 when the process did not start. */
  failed(livedMs: number): void;
  /** Records a success, which resets the back-off. */
  succeeded(): void;
  /** Whether recovery is unlikely. The pool then starts no spare process. */
  readonly isFailing: boolean;
  readonly delayMs: number;
  /** Waits for the next start. Rejects when the signal aborts. */
  pause(signal: AbortSignal): Promise<void>;
}

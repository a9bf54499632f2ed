/** Back-off of restarts. The owner of the workload keeps it, and the pool of processes uses it. */
export interface RestartPace {
  /** Records that a process ended. `livedMs` is 0 when it did not start. */
  failed(livedMs: number): void;
  /** Records a success, which resets the back-off. */
  succeeded(): void;
  /** Whether processes fail so often that recovery is unlikely. The pool then starts no spare process. */
  readonly isFailing: boolean;
  readonly delayMs: number;
  /** Waits until the next start is due. Rejects when the signal aborts. */
  pause(signal: AbortSignal): Promise<void>;
}

export interface RestartPace {
  /** Records a failed process. `livedMs` is 0 when the process did not start. */
  failed(livedMs: number): void;
  succeeded(): void;
  /** Whether recovery is unlikely. The pool then starts no spare process. */
  readonly isFailing: boolean;
  readonly delayMs: number;
  pause(signal: AbortSignal): Promise<void>;
}

import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';
import type { RunObserver } from './run-observer.ts';

/** How a workload is started; nothing of it is part of the workload. */
export interface StartOptions {
  readonly observer: RunObserver;
  /** Command line of the supervisor's program. */
  readonly program: readonly string[];
  /** Returns once the supervisor runs. */
  readonly detachEarly: boolean;
  /** Supervises in this process, and ends when the container does. */
  readonly foreground: boolean;
  /** How long the server may take to answer once its container has started. */
  readonly startTimeoutMs: number;
  /** Accepts everything that a person could accept, and prints it. */
  readonly trust?: boolean | undefined;
  /** Configuration that the supervisor reads too, for the plugins in it. */
  readonly configFile?: string | undefined;
}

export interface RunOptions extends StartOptions {
  /** A workload of the same name is stopped and makes room. */
  readonly replace: boolean;
  /** Replaces a workload also if it loses a protection. */
  readonly acceptsLoss?: boolean | undefined;
}

/** `ended`: of a run in the foreground, with the container's own exit status. */
export type RunOutcome =
  | ({ readonly outcome: 'ready'; readonly name: string } & ReadyWorkload)
  | { readonly outcome: 'launched'; readonly name: string }
  | { readonly outcome: 'ended'; readonly name: string; readonly exitCode: number };

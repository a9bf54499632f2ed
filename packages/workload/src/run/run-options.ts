import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';
import type { SupervisorProcess } from '../supervisor/supervisor-process.ts';
import type { RunObserver } from './run-observer.ts';

/** Options of a start, none of which is stored with the workload. */
export interface StartOptions {
  readonly observer: RunObserver;
  /** Command line that starts the supervisor's program. */
  readonly program: readonly string[];
  /** Returns as soon as the supervisor runs, without waiting for the server. */
  readonly detachEarly: boolean;
  /** Supervises in this process until the container ends. */
  readonly foreground: boolean;
  /** Maximum time in milliseconds for the server to respond after its container has started. */
  readonly startTimeoutMs: number;
  /** Accepts and prints every grant that a user could accept. */
  readonly trust?: boolean | undefined;
  /** Configuration file for the supervisor, which loads the plugins in it. */
  readonly configFile?: string | undefined;
  /** Process that already loads its modules, for the first workload that starts; default: a new one. */
  readonly supervisor?: SupervisorProcess | undefined;
}

export interface RunOptions extends StartOptions {
  /** Stops and replaces a workload of the same name. */
  readonly replace: boolean;
  /** Replaces a workload even if a protection is lost. */
  readonly acceptsLoss?: boolean | undefined;
}

/** Outcome of a run. `ended` belongs to a run in the foreground and has the container's exit status. */
export type RunOutcome =
  | ({ readonly outcome: 'ready'; readonly name: string } & ReadyWorkload)
  | { readonly outcome: 'launched'; readonly name: string }
  | { readonly outcome: 'ended'; readonly name: string; readonly exitCode: number };

import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';
import type { SupervisorProcess } from '../supervisor/supervisor-process.ts';
import type { RunObserver } from './run-observer.ts';

/** Options of a start, which are not stored with the workload. */
export interface StartOptions {
  readonly observer: RunObserver;
  readonly program: readonly string[];
  /** Whether to return without waiting for the server. */
  readonly detachEarly: boolean;
  readonly foreground: boolean;
  /** Time in milliseconds for the server to respond after its container has started. */
  readonly startTimeoutMs: number;
  /** Whether to accept and print every grant. */
  readonly trust?: boolean | undefined;
  /** Configuration file for the plugins of the supervisor. */
  readonly configFile?: string | undefined;
  /** Process that already loads its modules, for the first workload that starts; default: a new one. */
  readonly supervisor?: SupervisorProcess | undefined;
}

export interface RunOptions extends StartOptions {
  readonly replace: boolean;
  readonly acceptsLoss?: boolean | undefined;
}

/** `ended`: a run in the foreground, with the container's exit status. */
export type RunOutcome =
  | ({ readonly outcome: 'ready'; readonly name: string } & ReadyWorkload)
  | { readonly outcome: 'launched'; readonly name: string }
  | { readonly outcome: 'ended'; readonly name: string; readonly exitCode: number };

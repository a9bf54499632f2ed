import type { RunConfig } from '@portolan/run-spec';
import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';
import type { SupervisorProcess } from '../supervisor/supervisor-process.ts';
import type { RunObserver } from './run-observer.ts';

/** Options of a start that are not stored with the workload. */
export interface StartOptions {
  readonly observer: RunObserver;
  readonly program: readonly string[];
  /** Whether to return without waiting for the server. */
  readonly detachEarly: boolean;
  readonly foreground: boolean;
  /** Time in milliseconds for the server to respond after its container has started. */
  readonly startTimeoutMs: number;
  /** Whether to accept every grant without asking. The accepted grants are printed. */
  readonly trust?: boolean | undefined;
  /** Path of the configuration file from which the supervisor reads its plugins. */
  readonly configFile?: string | undefined;
  /**
   * Supervisor process that is already loading its modules, for the first workload that starts. Default: a
   * new process.
   */
  readonly supervisor?: SupervisorProcess | undefined;
}

export interface RunOptions extends StartOptions {
  readonly replace: boolean;
  readonly acceptsLoss?: boolean | undefined;
  /** With `replace`: whether the workload may move to another group. */
  readonly movesGroup?: boolean;
  /** With `replace`: run config that the workload must still have, or the run is refused. */
  readonly base?: RunConfig | undefined;
}

/** Result of a run. `ended` is the result of a run in the foreground, with the container's exit status. */
export type RunOutcome =
  | ({ readonly outcome: 'ready'; readonly name: string } & ReadyWorkload)
  | { readonly outcome: 'launched'; readonly name: string }
  | { readonly outcome: 'ended'; readonly name: string; readonly exitCode: number };

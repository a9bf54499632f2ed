import type { PortolanError } from '@portolan/plugin-api';

/** End of a workload that was ready. */
export type SupervisedEnd =
  /** A command stopped the workload. */
  | { readonly how: 'stopped' }
  /**
   * Another program removed the container, or the server on a host. The run config stays, so `start` creates
   * a new one.
   */
  | { readonly how: 'removed'; readonly what: 'container' | 'server' }
  /** The server exited in the foreground, where it is not restarted. */
  | { readonly how: 'exited'; readonly exitCode: number }
  /** The workload cannot be kept running. */
  | { readonly how: 'failed'; readonly error: PortolanError };

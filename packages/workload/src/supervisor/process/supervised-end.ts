import type { PortolanError } from '@portolan/plugin-api';

/** How a workload that was ready came to its end. */
export type SupervisedEnd =
  /** It was asked to. */
  | { readonly how: 'stopped' }
  /** Somebody else removed its container, or its server on a host. The run config stays, so that `start` makes a new one. */
  | { readonly how: 'removed'; readonly what: 'container' | 'server' }
  /** Its server ended, and was not to be started again (`foreground`). */
  | { readonly how: 'exited'; readonly exitCode: number }
  /** It cannot be kept running. */
  | { readonly how: 'failed'; readonly error: PortolanError };

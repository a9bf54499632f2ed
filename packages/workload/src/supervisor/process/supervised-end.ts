import type { PortolanError } from '@portolan/plugin-api';

export type SupervisedEnd =
  | { readonly how: 'stopped' }
  /** Another program removed the container or the hosted server. The workload's run config is not deleted. */
  | { readonly how: 'removed'; readonly what: 'container' | 'server' }
  /** The server exited. Only in the foreground, because otherwise it is restarted. */
  | { readonly how: 'exited'; readonly exitCode: number }
  | { readonly how: 'failed'; readonly error: PortolanError };

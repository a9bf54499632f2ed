import type { PortolanError } from '@portolan/plugin-api';

export type SupervisedEnd =
  | { readonly how: 'stopped' }
  /** Another program removed the container or the hosted server. The run config stays. */
  | { readonly how: 'removed'; readonly what: 'container' | 'server' }
  /** The server exited in the foreground, where it is not restarted. */
  | { readonly how: 'exited'; readonly exitCode: number }
  | { readonly how: 'failed'; readonly error: PortolanError };

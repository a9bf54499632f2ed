import type { ServerBackend } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';

export interface ServerSide {
  readonly backend: ServerBackend;
  /** Middleware that the server itself needs in the message path, before all other of its slot. */
  readonly middleware?: readonly PlacedProxyMiddleware[];
  /** Tells the server which other middleware the message path has. */
  usePolicies?(policies: readonly PlacedProxyMiddleware[]): void;
  /**
   * Begins to start the server, so that other work can run in parallel. Settles when all that remains is to
   * wait for the engine. Never rejects: `start` and the proxy get the errors.
   */
  begin?(): Promise<void>;
  /**
   * Starts a server that must run before the first request, and keeps it running. Throws the reason when the
   * server does not start.
   */
  start(): Promise<void>;
  /** Whether the first request starts the server. Otherwise, the start of the workload does. Default: false. */
  readonly startsLater?: boolean;
  /** Whether the server does not run now, because no client uses it. Default: false. */
  readonly isIdle?: boolean;
  notAnswering(reason: string): void;
  /** Checks the server after a failed request. Servers without this method need no such check. */
  suspect?(): void;
  /** Returns the name of a member whose lists are missing now; undefined when all are available. */
  findUnavailable?(): string | undefined;
  close(): Promise<void>;
}

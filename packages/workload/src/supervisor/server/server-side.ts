import type { ServerBackend } from '@portolan/plugin-api';

export interface ServerSide {
  readonly backend: ServerBackend;
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
  notAnswering(reason: string): void;
  close(): Promise<void>;
}

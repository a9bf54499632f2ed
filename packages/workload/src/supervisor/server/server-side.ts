import type { ServerBackend } from '@portolan/plugin-api';

export interface ServerSide {
  readonly backend: ServerBackend;
  /**
   * Begins the start, so that other work can run meanwhile. Settles when only the engine has work left. Never
   * rejects: `start` and the proxy get the errors.
   */
  begin?(): Promise<void>;
  /**
   * Starts a server that must run before the first request, and keeps it running. Throws the reason when it
   * does not start.
   */
  start(): Promise<void>;
  notAnswering(reason: string): void;
  close(): Promise<void>;
}

import type { ServerBackend } from '@portolan/plugin-api';

/** The server of a workload as its supervisor sees it: a container, processes for sessions, or somebody else's. */
export interface ServerSide {
  /** What the proxy stands in front of. */
  readonly backend: ServerBackend;
  /**
   * Begins what `start`, or the proxy, waits for, for those who have something to do meanwhile. Settles when only the
   * engine has still to work; never rejects: what goes wrong is told to whoever waits.
   */
  begin?(): Promise<void>;
  /** Starts what has to run before somebody asks, and keeps it running. Throws why it cannot be started. */
  start(): Promise<void>;
  /** The proxy has found that the server does not answer any more. */
  notAnswering(reason: string): void;
  /** Ends everything of it, and removes its containers. */
  close(): Promise<void>;
}

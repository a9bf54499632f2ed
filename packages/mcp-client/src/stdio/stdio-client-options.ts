import type { Readable, Writable } from 'node:stream';

export interface StdioClientTarget {
  readonly url: URL;
  readonly transport: 'streamable-http' | 'sse';
  /** Prefix of the paths that clients behind a reverse proxy use. Local clients leave it out. */
  readonly endpointPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface StdioFrontOptions {
  readonly input: Readable;
  readonly output: Writable;
  /**
   * Called again when the workload does not respond at its location. An error of class `busy` means that it
   * is starting.
   */
  readonly findTarget: () => Promise<StdioClientTarget>;
  readonly name: string;
  readonly tell: (line: string) => void;
  /** Stops the client, like the end of the input. */
  readonly signal: AbortSignal;
  /** Initial delay between connection attempts, in milliseconds. */
  readonly retryMs?: number;
  /**
   * Maximum milliseconds for pending responses after the end of the input. Clients wait about two seconds on
   * exit.
   */
  readonly graceMs?: number;
  /** Maximum milliseconds for a request to wait for a workload that is starting. */
  readonly patienceMs?: number;
  /** Maximum time in milliseconds for retries of one request, as long as responses contain `Retry-After`. */
  readonly startTimeoutMs?: number;
}

/** Maximum bytes of one message in both directions, equal to the proxy's limit. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

import type { EndpointOptions } from './rewrite-endpoint.ts';

/** Where a request goes, and with what. */
export interface Way {
  readonly url: URL;
  /** Path and query of it, as they were written. */
  readonly path: string;
  /** For the server, name and value in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** That the client has named; undefined where it does not count. */
  readonly sessionId: string | undefined;
  /** Who says to the server who asks. */
  readonly provenBy: 'client' | 'workload' | 'nobody';
  readonly endpoint: Omit<EndpointOptions, 'streamUrl'>;
}

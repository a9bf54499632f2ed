import type { EndpointOptions } from './rewrite-endpoint.ts';

/** The target of a request, and what is sent. */
export interface Way {
  readonly url: URL;
  /** Path and query, as they were written. */
  readonly path: string;
  /** For the server, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Named by the client; undefined where it does not count. */
  readonly sessionId: string | undefined;
  /** Whose credentials the server gets. */
  readonly provenBy: 'client' | 'workload' | 'nobody';
  readonly endpoint: Omit<EndpointOptions, 'streamUrl'>;
}

import type { EndpointOptions } from './rewrite-endpoint.ts';

export interface Way {
  readonly url: URL;
  /** Path and query, as they were written. */
  readonly path: string;
  /** Headers for the server, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Session id from the client. Undefined for requests without a session. */
  readonly sessionId: string | undefined;
  /** Owner of the credentials that the server gets. */
  readonly provenBy: 'client' | 'workload' | 'nobody';
  readonly endpoint: Omit<EndpointOptions, 'streamUrl'>;
}

import type { EndpointOptions } from './rewrite-endpoint.ts';

export interface Way {
  readonly url: URL;
  /** Path and query as written. */
  readonly path: string;
  /** Headers, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Session id, if the request has one. */
  readonly sessionId: string | undefined;
  /** Owner of the credentials for the server. */
  readonly provenBy: 'client' | 'workload' | 'nobody';
  readonly endpoint: Omit<EndpointOptions, 'streamUrl'>;
}

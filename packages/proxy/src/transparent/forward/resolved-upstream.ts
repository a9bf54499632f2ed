import type { EndpointOptions } from './rewrite-endpoint.ts';

export interface ResolvedUpstream {
  readonly url: URL;
  readonly path: string;
  /** Headers, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly sessionId: string | undefined;
  readonly provenBy: 'client' | 'workload' | 'nobody';
  readonly endpoint: Omit<EndpointOptions, 'streamUrl'>;
}

import type { RequestContext } from './request-state.ts';

export interface PrefixOptions {
  /** Prefix from the configuration. Undefined when it sets none. */
  readonly endpointPrefix: string | undefined;
  readonly trustProxyHeaders: boolean;
}

/**
 * Returns the prefix of the paths for clients: the configured one, else that of a trusted reverse proxy, else
 * an empty string. Starts with a slash, and never ends with one.
 */
export function prefixFor(ctx: Pick<RequestContext, 'get'>, options: PrefixOptions): string {
  if (options.endpointPrefix !== undefined) return normalizePrefix(options.endpointPrefix);
  if (!options.trustProxyHeaders) return '';
  // Some reverse proxies send the whole path, including the endpoint.
  return normalizePrefix(ctx.get('X-Forwarded-Prefix').replace(/\/sse\/?$/, ''));
}

function normalizePrefix(text: string): string {
  const bare = text.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
  return bare === '' || !/^[\w.~!$&'()*+,;=:@%/-]+$/.test(bare) ? '' : `/${bare}`;
}

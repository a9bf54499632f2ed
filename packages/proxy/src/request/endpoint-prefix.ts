import type { RequestContext } from './request-state.ts';

export interface PrefixOptions {
  readonly endpointPrefix: string | undefined;
  readonly trustProxyHeaders: boolean;
}

/**
 * Returns the configured prefix, else that of a trusted reverse proxy, else an empty string. Starts with a
 * slash, never ends with one.
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

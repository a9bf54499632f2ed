import type { RequestContext } from './request-state.ts';

export interface PrefixOptions {
  /** As given by the operator; undefined when not. */
  readonly endpointPrefix: string | undefined;
  readonly trustProxyHeaders: boolean;
}

/**
 * What stands in front of paths that clients are told of: the operator's prefix,
 * else that of a trusted proxy in front, else nothing. Begins with a slash, ends
 * without one.
 */
export function prefixFor(ctx: Pick<RequestContext, 'get'>, options: PrefixOptions): string {
  if (options.endpointPrefix !== undefined) return normalizePrefix(options.endpointPrefix);
  if (!options.trustProxyHeaders) return '';
  // Some proxies send the whole path, up to the endpoint they forward.
  return normalizePrefix(ctx.get('X-Forwarded-Prefix').replace(/\/sse\/?$/, ''));
}

function normalizePrefix(text: string): string {
  const bare = text.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
  return bare === '' || !/^[\w.~!$&'()*+,;=:@%/-]+$/.test(bare) ? '' : `/${bare}`;
}

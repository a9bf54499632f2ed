import { type PrefixOptions, prefixFor } from '../request/endpoint-prefix.ts';
import { withForwardedPort } from '../request/forwarded-port.ts';
import type { RequestContext } from '../request/request-state.ts';
import { nameOfHost } from './check-host.ts';

export interface OuterAddressOptions extends PrefixOptions {
  readonly resource: string | undefined;
  readonly clientPath: string;
}

/** Well-known path of the metadata. The path of the resource follows it (RFC 9728, section 3.1). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Returns the configured address of the proxy, otherwise the address of the request. `X-Forwarded-*` headers
 * count only from a trusted reverse proxy. An earlier step has checked `Host`.
 */
export function outerAddressOf(ctx: RequestContext, options: OuterAddressOptions): string {
  if (options.resource !== undefined) return options.resource;
  const { trustProxyHeaders, clientPath } = options;
  const text = trustProxyHeaders ? firstOf(ctx.get('X-Forwarded-Host')) : '';
  const host = nameOfHost(text) === undefined ? (ctx.req.headers.host ?? '') : withForwardedPort(ctx, text);
  const isTls = trustProxyHeaders && firstOf(ctx.get('X-Forwarded-Proto')).toLowerCase() === 'https';
  const own = `localhost:${ctx.req.socket.localPort}`;
  const origin = `${isTls ? 'https' : 'http'}://${nameOfHost(host) === undefined ? own : host}`;
  return `${origin}${prefixFor(ctx, options)}${clientPath}`.replace(/(?<!\/)\/+$/, '');
}

/** The well-known path goes between host and path; a lone slash is dropped. */
export function metadataAddressOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}`;
}

/** Returns the first value of a list, because each reverse proxy in a chain may have added one. */
function firstOf(values: string): string {
  return values.split(',')[0]?.trim() ?? '';
}

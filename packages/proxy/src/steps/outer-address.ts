import { type PrefixOptions, prefixFor } from '../request/endpoint-prefix.ts';
import { withForwardedPort } from '../request/forwarded-port.ts';
import type { RequestContext } from '../request/request-state.ts';
import { nameOfHost } from './check-host.ts';

export interface OuterAddressOptions extends PrefixOptions {
  /** As named by the operator; undefined when not. */
  readonly resource: string | undefined;
  /** At which clients reach the server. */
  readonly clientPath: string;
}

/** Where the metadata of a protected resource stands, before the path of the resource (RFC 9728, 3.1). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * The address under which a client knows the server: what the operator has said,
 * else what the request says, which is believed of a trusted proxy in front and
 * of the `Host` that was let through.
 */
export function outerAddressOf(ctx: RequestContext, options: OuterAddressOptions): string {
  if (options.resource !== undefined) return options.resource;
  const { trustProxyHeaders, clientPath } = options;
  const said = trustProxyHeaders ? firstOf(ctx.get('X-Forwarded-Host')) : '';
  const host = nameOfHost(said) === undefined ? (ctx.req.headers.host ?? '') : withForwardedPort(ctx, said);
  const isTls = trustProxyHeaders && firstOf(ctx.get('X-Forwarded-Proto')).toLowerCase() === 'https';
  const own = `localhost:${ctx.req.socket.localPort}`;
  const origin = `${isTls ? 'https' : 'http'}://${nameOfHost(host) === undefined ? own : host}`;
  return `${origin}${prefixFor(ctx, options)}${clientPath}`.replace(/(?<!\/)\/+$/, '');
}

/** Where the metadata of a resource is: the well-known part goes between host and path, and a lone slash falls away. */
export function metadataAddressOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}`;
}

/** Of several proxies in a row, each may have added a value. */
function firstOf(values: string): string {
  return values.split(',')[0]?.trim() ?? '';
}

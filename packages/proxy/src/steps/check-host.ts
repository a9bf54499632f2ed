import { isIP } from 'node:net';
import { hostNotAllowed } from '../errors/request-errors.ts';
import type { Middleware } from '../request/request-state.ts';

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/;

/** Names under which containers connect to the loopback of their host. */
const OF_ENGINES = ['host.docker.internal', 'host.containers.internal'];

export interface HostOptions {
  readonly listensOnLoopback: boolean;
  readonly resourceUrl: URL | undefined;
}

/**
 * Refuses names that a web page could have made resolve to this machine (DNS rebinding), where the proxy
 * listens on loopback. Elsewhere it cannot know all its names: programs may use any, and `checkOrigin` checks
 * pages.
 */
export function checkHost({ listensOnLoopback, resourceUrl }: HostOptions): Middleware {
  return (ctx, next) => {
    const host = ctx.req.headers.host ?? '';
    const name = nameOfHost(host);
    if (name === undefined || !isSaidByTarget(host, ctx.req.url ?? '')) throw hostNotAllowed();
    if (!listensOnLoopback || isOwnName(name) || name === resourceUrl?.hostname) return next();
    throw hostNotAllowed();
  };
}

/** Returns the lower-case name or address in a Host header; undefined for an invalid one. */
export function nameOfHost(host: string): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/**
 * Returns whether a name cannot be made to resolve here by others, because it is an address or a name of this
 * machine.
 */
export function isOwnName(name: string): boolean {
  const bare = name.startsWith('[') ? name.slice(1, -1) : name;
  return name === 'localhost' || isIP(bare) !== 0 || OF_ENGINES.includes(name);
}

/**
 * Returns whether the request target names the same host, or none: one in the target would take precedence
 * over the header.
 */
function isSaidByTarget(host: string, target: string): boolean {
  if (target.startsWith('/') || target === '*') return true;
  const [named, said] = [URL.parse(target), URL.parse(`http://${host}`)];
  return named?.protocol === 'http:' && named.host === said?.host && named.username === '';
}

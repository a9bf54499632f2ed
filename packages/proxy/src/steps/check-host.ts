import { isIP } from 'node:net';
import { hostNotAllowed } from '../errors/request-errors.ts';
import type { Middleware } from '../request/request-state.ts';

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/;

/** Names by which containers reach the loopback interface of their host. */
const OF_ENGINES = ['host.docker.internal', 'host.containers.internal'];

export interface HostOptions {
  readonly listensOnLoopback: boolean;
  readonly resourceUrl: URL | undefined;
}

/**
 * Prevents DNS rebinding on a loopback listener: a web page can make other names resolve to this machine.
 * `checkOrigin` protects other listeners.
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

/** Returns the name in lower case; undefined for an invalid header. */
export function nameOfHost(host: string): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/** Returns whether a name always means this machine. */
export function isOwnName(name: string): boolean {
  const bare = name.startsWith('[') ? name.slice(1, -1) : name;
  return name === 'localhost' || isIP(bare) !== 0 || OF_ENGINES.includes(name);
}

/**
 * Returns whether an absolute request target names the same host as the Host header, because the target takes
 * precedence.
 */
function isSaidByTarget(host: string, target: string): boolean {
  if (target.startsWith('/') || target === '*') return true;
  const [named, url] = [URL.parse(target), URL.parse(`http://${host}`)];
  return named?.protocol === 'http:' && named.host === url?.host && named.username === '';
}

import { isIP } from 'node:net';
import { hostNotAllowed } from '../errors.ts';
import type { Middleware } from '../request-state.ts';

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/;

/** Names under which containers reach the loopback of their host. */
const OF_ENGINES = ['host.docker.internal', 'host.containers.internal'];

/**
 * Refuses names that a web page could have made point to this machine (DNS
 * rebinding). Only where the proxy listens on loopback; elsewhere it cannot know its names.
 */
export function checkHost(listensOnLoopback: boolean, resourceUrl: URL | undefined): Middleware {
  return (ctx, next) => {
    const host = ctx.req.headers.host ?? '';
    const name = HOST.exec(host)?.[1]?.toLowerCase();
    if (name === undefined) throw hostNotAllowed();
    if (!listensOnLoopback || isLocalName(name) || name === resourceUrl?.hostname) return next();
    throw hostNotAllowed();
  };
}

function isLocalName(name: string): boolean {
  const bare = name.startsWith('[') ? name.slice(1, -1) : name;
  return name === 'localhost' || isIP(bare) !== 0 || OF_ENGINES.includes(name);
}

/** Whether only this machine can reach a listener at that host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

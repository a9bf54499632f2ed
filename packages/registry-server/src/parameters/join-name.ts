/** Matches a server's address in which the name takes two segments, perhaps with an endpoint after it. */
const SERVER = /^(\/registry\/[^/]+\/v0(?:\.1)?\/servers)\/([^/]+)\/([^/]+)(\/versions(?:\/[^/]+)?\/?)$/;
const ENTRY =
  /^(\/v1\/entries\/([^/]+))\/([^/]+)\/([^/]+)(\/|\/(?:claims|status|versions\/[^/]+(?:\/status)?)\/?)?$/;

/** Last segments of a path that are endpoints, not part of a name. */
const ENDPOINTS = new Set(['claims', 'status', 'versions']);

/**
 * Matches a segment that cannot be part of a name: dot segments, which clients and proxies resolve, and an
 * escaped slash.
 */
const NO_PART = /^(?:\.|%2e){1,2}$|%2f/i;

/**
 * Escapes the slash of a name again where a proxy decoded it (as nginx does when `proxy_pass` ends in a
 * path), so that both forms reach the same entry under the same rules. Leaves an ambiguous path unchanged:
 * `versions` in the place of a skill's or plugin's name, which is valid without a namespace.
 */
export function joinName(path: string): string {
  const server = SERVER.exec(path);
  if (server !== null) {
    const [, before = '', namespace = '', name = '', after = ''] = server;
    return arePartsOfName(namespace, name) ? `${before}/${namespace}%2F${name}${after}` : path;
  }
  const entry = ENTRY.exec(path);
  if (entry === null) return path;
  const [, before = '', type = '', namespace = '', name = '', after = ''] = entry;
  // Here the last segment is an endpoint; such a name needs `%2F`.
  if (after.length < 2 && ENDPOINTS.has(name)) return path;
  // Every server name contains a slash.
  if (type !== 'server' && name === 'versions') return path;
  return arePartsOfName(namespace, name) ? `${before}/${namespace}%2F${name}${after}` : path;
}

function arePartsOfName(...parts: readonly string[]): boolean {
  return !parts.some((part) => NO_PART.test(part));
}

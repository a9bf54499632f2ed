/** Prefix of a server path, its name as two segments, and the endpoints that may follow. */
const SERVER = /^(\/registry\/[^/]+\/v0(?:\.1)?\/servers)\/([^/]+)\/([^/]+)(\/versions(?:\/[^/]+)?\/?)$/;
const ENTRY =
  /^(\/v1\/entries\/([^/]+))\/([^/]+)\/([^/]+)(\/|\/(?:claims|status|versions\/[^/]+(?:\/status)?)\/?)?$/;

/** Last path segments that are endpoints of an entry. */
const ENDPOINTS = new Set(['claims', 'status', 'versions']);

/** Dot segments, which clients and proxies resolve, and escaped slashes. */
const NO_PART = /^(?:\.|%2e){1,2}$|%2f/i;

/**
 * Returns the path with the slash of an entry's name escaped, where a proxy decoded it (as nginx does when
 * `proxy_pass` ends in a path). Later steps see one form only, so both forms reach the same entry under the
 * same rules. Leaves a path unchanged that could mean something else: `versions` in the place of a skill's or
 * plugin's name, which is valid without a namespace.
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
  // In a short path, the last segment is an endpoint. Such a name needs `%2F`.
  if (after.length < 2 && ENDPOINTS.has(name)) return path;
  // Every server name contains a slash.
  if (type !== 'server' && name === 'versions') return path;
  return arePartsOfName(namespace, name) ? `${before}/${namespace}%2F${name}${after}` : path;
}

function arePartsOfName(...parts: readonly string[]): boolean {
  return !parts.some((part) => NO_PART.test(part));
}

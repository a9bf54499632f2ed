/** Before a name, the name in two segments, and what may follow one. */
const SERVER = /^(\/registry\/[^/]+\/v0(?:\.1)?\/servers)\/([^/]+)\/([^/]+)(\/versions(?:\/[^/]+)?\/?)$/;
const ENTRY =
  /^(\/v1\/entries\/([^/]+))\/([^/]+)\/([^/]+)(\/|\/(?:claims|status|versions\/[^/]+(?:\/status)?)\/?)?$/;

/** Endpoints of an entry, as the last segment of a path. */
const ENDPOINTS = new Set(['claims', 'status', 'versions']);

/** Dots alone, which clients and proxies resolve, and a slash that is escaped already. */
const NO_PART = /^(?:\.|%2e){1,2}$|%2f/i;

/**
 * The path with the slash of an entry's name escaped, where a proxy has decoded
 * it (as nginx does with a `proxy_pass` that ends in a path): what follows sees
 * one form only, so that both reach the same entry under the same rules. Left as
 * it is where it could mean something else: `versions` in the place of a skill's
 * or plugin's name, which may also be given without its namespace.
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
  // The last segment of a short path is an endpoint. A name that ends so needs `%2F`.
  if (after.length < 2 && ENDPOINTS.has(name)) return path;
  // A server without a slash in its name does not exist.
  if (type !== 'server' && name === 'versions') return path;
  return arePartsOfName(namespace, name) ? `${before}/${namespace}%2F${name}${after}` : path;
}

function arePartsOfName(...parts: readonly string[]): boolean {
  return !parts.some((part) => NO_PART.test(part));
}

/** Paths that a server announced. The oldest are evicted. */
export class AnnouncedPaths {
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    const [oldest] = this.#paths;
    if (this.#paths.size > 64 && oldest !== undefined) this.#paths.delete(oldest);
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }
}

/**
 * Returns the path of a request at the server. A container gets the client's path, a remote server its
 * configured path, and announced paths stay unchanged. The query of the endpoint precedes that of the client.
 */
export function upstreamPath(
  requested: string,
  target: URL,
  isRemote: boolean,
  announced: AnnouncedPaths,
): string {
  const at = requested.indexOf('?');
  const path = at < 0 ? requested : requested.slice(0, at);
  const query = at < 0 ? '' : requested.slice(at + 1);
  if (announced.has(path) || (!isRemote && path !== target.pathname)) return requested;
  const queries = [target.search.slice(1), query].filter((part) => part !== '');
  return target.pathname + (queries.length === 0 ? '' : `?${queries.join('&')}`);
}

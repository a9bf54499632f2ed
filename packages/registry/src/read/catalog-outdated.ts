/**
 * Signals that a reader used a cached catalog which is no longer the newest. The reader discards its
 * decisions and retries.
 */
export class CatalogOutdated extends Error {
  constructor() {
    super('the catalog has changed since it was read');
  }
}

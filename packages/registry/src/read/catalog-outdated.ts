/** The reader discards decisions of an outdated catalog and retries. */
export class CatalogOutdated extends Error {
  constructor() {
    super('the catalog has changed since it was read');
  }
}

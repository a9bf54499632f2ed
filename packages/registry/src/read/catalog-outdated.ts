/** Signals that a decision used an outdated catalog. The reader then discards the decision and retries. */
export class CatalogOutdated extends Error {
  constructor() {
    super('the catalog has changed since it was read');
  }
}

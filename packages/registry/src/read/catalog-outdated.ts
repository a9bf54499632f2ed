/** Thrown to a reader that went on with the catalog it knew, which turned out not to be the newest: nothing it decided counts. */
export class CatalogOutdated extends Error {
  constructor() {
    super('the catalog has changed since it was read');
  }
}

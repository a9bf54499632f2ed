/** What is written of a source, all in one transaction. */
export interface WriteTarget {
  readonly sourceId: number;
  /** Class of every entry; undefined where each entry brings its claims. */
  readonly claimSetId: number | undefined;
  /** Versions that one statement stores. */
  readonly statementRows: number;
  /** Time of the sync, ISO 8601. */
  readonly now: string;
}

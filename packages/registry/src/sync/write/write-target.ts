/** Where a sync writes. Everything is written in one transaction. */
export interface WriteTarget {
  readonly sourceId: number;
  /** Id of the claims object of every entry. Undefined when entries have their own claims. */
  readonly claimSetId: number | undefined;
  /** Number of versions per statement. */
  readonly statementRows: number;
  /** Time of the sync, ISO 8601. */
  readonly now: string;
}

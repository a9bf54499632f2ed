/** Target of a sync's write. Everything is one transaction. */
export interface WriteTarget {
  readonly sourceId: number;
  /** Class of every entry. Undefined when entries have their own claims. */
  readonly claimSetId: number | undefined;
  /** Number of versions per statement. */
  readonly statementRows: number;
  /** Time of the sync, ISO 8601. */
  readonly now: string;
}

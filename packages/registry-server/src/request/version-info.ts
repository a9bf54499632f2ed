/** Which build this is. */
export interface VersionInfo {
  readonly version: string;
  /** Commit it was built from; empty in a checkout. */
  readonly commit?: string;
  /** RFC 3339. */
  readonly buildDate?: string;
}

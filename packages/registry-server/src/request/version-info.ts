export interface VersionInfo {
  readonly version: string;
  /** Commit of the build; empty in a checkout. */
  readonly commit?: string;
  /** RFC 3339. */
  readonly buildDate?: string;
}

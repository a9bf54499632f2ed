/** Claims that a caller must hold to see a resource. An empty object means unlabelled. */
export type ResourceClaims = Readonly<Record<string, string | readonly string[]>>;

export type ClaimSet = Readonly<Record<string, unknown>>;

export const ROLES = ['superAdmin', 'manageSources', 'manageRegistries', 'manageEntries'] as const;
export type Role = (typeof ROLES)[number];

/** Identity that a credential proves. */
export interface Identity {
  readonly subject: string;
  readonly claims: ClaimSet;
  /** Display name, for logs and audit only. */
  readonly user?: string;
  /** Configured provider that accepted the credential. */
  readonly provider?: string;
}

/** The identified sender of a request, with granted roles. */
export interface Caller extends Identity {
  readonly roles: readonly Role[];
}

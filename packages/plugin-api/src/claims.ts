/** Claims of a resource: what a caller has to hold to see it. An empty object means unlabelled. */
export type ResourceClaims = Readonly<Record<string, string | readonly string[]>>;

/** Claims of a token, as they came. */
export type ClaimSet = Readonly<Record<string, unknown>>;

export const ROLES = ['superAdmin', 'manageSources', 'manageRegistries', 'manageEntries'] as const;
export type Role = (typeof ROLES)[number];

/** Who a credential says the sender is. */
export interface Identity {
  readonly subject: string;
  readonly claims: ClaimSet;
  /** A name for people, for logs and audit only. */
  readonly user?: string;
  /** Which of the configured providers has accepted the credential. */
  readonly provider?: string;
}

/** Whoever sent the request, with the roles granted to them. */
export interface Caller extends Identity {
  readonly roles: readonly Role[];
}

import { type DocumentIssue, printIssues } from '@portolan/entry-format';
import type { ResourceClaims } from '@portolan/plugin-api';
import { claimsRequired, documentInvalid } from '../admin-errors.ts';
import {
  checkPublication,
  type CheckedPublication,
  type DocumentRules,
} from '../../preparation/prepare-version.ts';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import { requireLabel } from '../actor-decisions.ts';
import type { Actor, Publication } from '../registry-admin.ts';

export interface PublicationRules extends DocumentRules {
  readonly now: Date;
}

/** Publish request that passed all checks which need no stored data. */
export interface JudgedPublication {
  readonly checked: CheckedPublication;
  readonly version: PreparedVersion;
  readonly claims: ResourceClaims | undefined;
}

/**
 * Checks, in this order: claims are present (ERR_CLAIMS_REQUIRED), the document is valid
 * (ERR_DOCUMENT_INVALID), the actor may set the claims (ERR_CLAIMS_BEYOND_CALLER).
 */
export function judgePublication(
  actor: Actor,
  publication: Pick<Publication, 'type' | 'document' | 'claims'>,
  { maxMetaSize, transports, now }: PublicationRules,
): JudgedPublication {
  const claims = isEmpty(publication.claims) ? undefined : publication.claims;
  if (claims === undefined && actor.policy.requiresClaims(actor.caller)) throw claimsRequired();
  const checked = checkPublication(publication, { maxMetaSize, transports, now: now.toISOString() });
  const version = requireNoErrors(checked, checked.issues);
  requireLabel(actor, claims ?? {});
  return { checked, version, claims };
}

function isEmpty(claims: ResourceClaims | undefined): boolean {
  return claims === undefined || Object.keys(claims).length === 0;
}

export function requireNoErrors(
  { version }: CheckedPublication,
  issues: readonly DocumentIssue[],
): PreparedVersion {
  const errors = issues.filter((issue) => issue.severity === 'error');
  if (version !== undefined && errors.length === 0) return version;
  throw documentInvalid(
    errors.map((issue) => printIssues([issue]).replace(/\.$/, '')),
    errors,
  );
}

import type { KindProblem } from '@portolan/plugin-api';
import type { CedarConfig } from './cedar-config.ts';
import { readPolicies } from './policies/policy-set.ts';
import { findDoubts } from './policies/validate-policies.ts';

/** Policies that are none, and, as warnings, what Cedar's validator finds in those that are. */
export function checkCedar({ cedar }: CedarConfig): readonly KindProblem[] {
  const read = readPolicies(cedar);
  return 'policies' in read
    ? findDoubts(read, cedar.group_entity_type).map((doubt) => ({ ...doubt, isWarning: true }))
    : read;
}

import type { KindProblem } from '@portolan/plugin-api';
import type { CedarConfig } from './cedar-config.ts';
import { readPolicies } from './policies/policy-set.ts';
import { findDoubts } from './policies/validate-policies.ts';

/** Checks the settings. Reports findings of Cedar's validator as warnings. */
export function checkCedar({ cedar }: CedarConfig): readonly KindProblem[] {
  const read = readPolicies(cedar);
  return 'policies' in read
    ? findDoubts(read, cedar.group_entity_type).map((doubt) => ({ ...doubt, isWarning: true }))
    : read;
}

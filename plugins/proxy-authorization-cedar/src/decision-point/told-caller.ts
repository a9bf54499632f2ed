import type { ClaimSet } from '@portolan/plugin-api';
import type { DecisionPointSettings } from './decision-point-config.ts';

/** A member of what is told of a caller, and the claims that it is taken from: the first that is there. */
type Mapping = readonly (readonly [member: string, claims: readonly string[]])[];

const MAPPINGS: Readonly<Record<DecisionPointSettings['claim_mapping'], Mapping>> = {
  standard: [
    ['sub', ['sub']],
    ['roles', ['roles']],
    ['groups', ['groups']],
    ['scopes', ['scopes', 'scope']],
  ],
  mpe: [
    ['sub', ['sub']],
    ['mroles', ['mroles', 'roles']],
    ['mgroups', ['mgroups', 'groups']],
    ['scopes', ['scopes', 'scope']],
    ['mclearance', ['mclearance', 'clearance']],
    ['mannotations', ['mannotations', 'annotations']],
  ],
};

/** What a decision point is told of a caller; nothing else of a token leaves. */
export function toldCaller(
  claims: ClaimSet,
  mapping: DecisionPointSettings['claim_mapping'],
): Readonly<Record<string, unknown>> {
  const told = MAPPINGS[mapping].flatMap(([member, from]) => {
    const claim = from.find((name) => Object.hasOwn(claims, name));
    if (claim !== undefined) return [[member, claims[claim]] as const];
    // Some decision points want it of everybody.
    return member === 'mannotations' ? [[member, {}] as const] : [];
  });
  return Object.fromEntries(told);
}

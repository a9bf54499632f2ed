import type { ClaimSet } from '@portolan/plugin-api';
import type { DecisionPointSettings } from './decision-point-config.ts';

/** Members of the request, each with the claims that can fill it; the first claim that the caller has wins. */
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

/** Returns the claims that the service gets. No other claims leave the proxy. */
export function toldCaller(
  claims: ClaimSet,
  mapping: DecisionPointSettings['claim_mapping'],
): Readonly<Record<string, unknown>> {
  const messages = MAPPINGS[mapping].flatMap(([member, from]) => {
    const claim = from.find((name) => Object.hasOwn(claims, name));
    if (claim !== undefined) return [[member, claims[claim]] as const];
    // Some decision points require this member.
    return member === 'mannotations' ? [[member, {}] as const] : [];
  });
  return Object.fromEntries(messages);
}

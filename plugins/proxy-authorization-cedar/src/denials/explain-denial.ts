import { failedCondition } from './failed-condition.ts';
import { nameOf } from '../engine/known-entities.ts';
import type { PolicyText } from '../policies/policy-text.ts';
import { actionOf, type Decision, type PolicySet, type Question } from '../policies/policy-set.ts';
import { matchScope, type ScopeMatch } from './scope-match.ts';

export interface Explanation {
  readonly because: readonly string[];
  /** Policy that decided, or came closest. */
  readonly policy: { readonly place: string; readonly text: string } | undefined;
}

const PARTS = ['principal', 'action', 'resource'] as const;
const MAX_CHARACTERS = 1024;

/**
 * Chooses the `forbid` that matched, the policy that failed, or the `permit` that matches most of the
 * request.
 */
export function explainDenial(question: Question, decision: Decision, policies: PolicySet): Explanation {
  const [failed] = decision.errors;
  if (failed !== undefined) {
    const policy = find(policies, failed.place);
    const where = policy === undefined ? '' : `${titleOf(policy)}: `;
    return {
      because: [`An error denies, whatever other policies say: ${where}${failed.message}.`],
      policy: shown(policy),
    };
  }
  const [forbid] = decision.policies;
  if (forbid !== undefined) {
    const policy = find(policies, forbid);
    return {
      because: [`It is forbidden by ${titleOf(policy ?? { place: forbid })}.`],
      policy: shown(policy),
    };
  }
  return explainClosest(question, policies);
}

function explainClosest(question: Question, policies: PolicySet): Explanation {
  const matches = policies.policies
    .filter(({ json }) => json.effect === 'permit')
    .map((policy) => ({ policy, match: matchScope(policy.json, question, policies.entities) }));
  const [closest] = matches.toSorted((left, right) => countOf(right.match) - countOf(left.match));
  if (closest === undefined) return { because: ['No policy permits anything.'], policy: undefined };
  const { policy, match } = closest;
  const missed = PARTS.filter((part) => !match[part]);
  const names = {
    principal: nameOf(question.principal.uid),
    action: nameOf(actionOf(question.action)),
    resource: nameOf(question.resource.uid),
  };
  const because =
    missed.length > 0
      ? missed.map((part) => `It is not about the ${part} ${names[part].slice(0, MAX_CHARACTERS)}.`)
      : [`Its condition does not hold: ${failedCondition(policy.json, question, policies) ?? 'as a whole'}.`];
  return {
    because: [`No policy permits it. Closest is ${titleOf(policy)}.`, ...because],
    policy: shown(policy),
  };
}

function countOf(match: ScopeMatch): number {
  return PARTS.filter((part) => match[part]).length;
}

function find({ policies }: PolicySet, place: string | undefined): PolicyText | undefined {
  return policies.find((policy) => policy.place === place);
}

function titleOf(policy: Pick<PolicyText, 'place'> & Partial<PolicyText>): string {
  const id = policy.json?.annotations?.['id'];
  return id === undefined ? policy.place : `${policy.place} (${id})`;
}

function shown(policy: PolicyText | undefined): Explanation['policy'] {
  return policy && { place: policy.place, text: policy.text.trim().slice(0, MAX_CHARACTERS) };
}

import { failedCondition } from './failed-condition.ts';
import { nameOf, ancestorsOf, type KnownEntities } from '../engine/known-entities.ts';
import type { PolicyText } from '../policies/policy-text.ts';
import { actionOf, type Decision, type PolicySet, type Question } from '../policies/policy-set.ts';
import type { EntityUidJson, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';

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

interface ScopeMatch {
  readonly principal: boolean;
  readonly action: boolean;
  readonly resource: boolean;
}

/** Returns how the scope of a policy (principal, action and resource) matches the request. */
function matchScope(policy: PolicyJson, question: Question, known: KnownEntities): ScopeMatch {
  const { principal, resource } = question;
  const action = { uid: actionOf(question.action), attrs: {}, parents: [] };
  const ownAction = known.get(nameOf(action.uid)) ?? action;
  return {
    principal: fits(policy.principal, nameOf(principal.uid), ancestorsOf(known, principal)),
    action: fits(policy.action, nameOf(action.uid), ancestorsOf(known, ownAction)),
    resource: fits(policy.resource, nameOf(resource.uid), ancestorsOf(known, resource)),
  };
}

type Constraint = PolicyJson['principal'] | PolicyJson['action'] | PolicyJson['resource'];

function fits(constraint: Constraint, name: string, ancestors: ReadonlySet<string>): boolean {
  if (constraint.op === 'All') return true;
  const isIn = (uid: EntityUidJson): boolean => ancestors.has(nameOf(uid));
  switch (constraint.op) {
    case '==':
      return 'entity' in constraint && nameOf(constraint.entity) === name;
    case 'in':
      if ('entities' in constraint) return constraint.entities.some(isIn);
      return 'entity' in constraint && isIn(constraint.entity);
    case 'is':
      break;
  }
  if (!name.startsWith(`${constraint.entity_type}::"`)) return false;
  const within = constraint.in;
  return within === undefined || ('entity' in within && isIn(within.entity));
}

import type { EntityUidJson, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { ancestorsOf, type KnownEntities, nameOf } from '../engine/known-entities.ts';
import { actionOf, type Question } from '../policies/policy-set.ts';

export interface ScopeMatch {
  readonly principal: boolean;
  readonly action: boolean;
  readonly resource: boolean;
}

/** Returns how the scope of a policy (principal, action and resource) matches the request. */
export function matchScope(policy: PolicyJson, question: Question, known: KnownEntities): ScopeMatch {
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

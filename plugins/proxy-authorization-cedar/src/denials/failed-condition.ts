import type {
  AuthorizationCall,
  Clause,
  Expr,
  PolicyJson,
  PolicyToTextAnswer,
} from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR } from '../engine/cedar-engine.ts';
import { actionOf, type PolicySet, type Question } from '../policies/policy-set.ts';

/** Maximum number of evaluated parts of one condition. */
const MAX_PARTS = 12;
const MAX_CHARACTERS = 300;
/**
 * Maximum size of a request's attributes in JSON characters, because each evaluated part reads them again.
 */
const MAX_TRIED_CHARACTERS = 16 * 1024;

/** Returns the first condition that was false, in Cedar syntax. */
export function failedCondition(
  { conditions }: PolicyJson,
  whole: Question,
  policies: PolicySet,
): string | undefined {
  const question = policies.narrowedQuestion(whole);
  if (!isSmall(question)) return undefined;
  for (const clause of conditions) {
    const parts = clause.kind === 'when' ? conjuncts(clause.body) : [clause.body];
    for (const body of parts.slice(0, MAX_PARTS)) {
      const part: Clause = { kind: clause.kind, body };
      if (!holds(part, question, policies)) return written(part);
    }
  }
  return undefined;
}

/** Returns the operands of `&&` in order. Cedar evaluated each only because those before it were true. */
function conjuncts(body: Expr): readonly Expr[] {
  const parts: Expr[] = [];
  const open = [body];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const both = '&&' in next ? next['&&'] : undefined;
    if (both === undefined || Array.isArray(both)) parts.push(next);
    else open.push(both.right, both.left);
  }
  return parts;
}

function isSmall({ principal, resource, context }: Question): boolean {
  return JSON.stringify([principal, resource, context]).length <= MAX_TRIED_CHARACTERS;
}

function holds(clause: Clause, question: Question, policies: PolicySet): boolean {
  const { principal, action, resource, context } = question;
  try {
    const authorizationCall: AuthorizationCall = {
      principal: principal.uid,
      action: actionOf(action),
      resource: resource.uid,
      context: { ...context },
      policies: { staticPolicies: { part: alone(clause) } },
      entities: policies.entitiesWith(principal, resource),
    };
    const result = CEDAR.use((cedar) => cedar.isAuthorized(authorizationCall));
    return result.type === 'success' && result.response.decision === 'allow';
  } catch {
    return false; // Cedar also treats an evaluation error as no match.
  }
}

function written(clause: Clause): string | undefined {
  let result: PolicyToTextAnswer;
  try {
    result = CEDAR.use((cedar) => cedar.policyToText(alone(clause)));
  } catch {
    return undefined; // the reason is then shorter
  }
  if (result.type === 'failure') return undefined;
  const [, condition] = /(?:when|unless)\s*\{\s*([\s\S]*?)\s*\}\s*;?\s*$/.exec(result.text) ?? [];
  const text = condition?.replaceAll(/\s+/g, ' ').slice(0, MAX_CHARACTERS);
  return text === undefined ? undefined : `${clause.kind} { ${text} }`;
}

function alone(clause: Clause): PolicyJson {
  return {
    effect: 'permit',
    principal: { op: 'All' },
    action: { op: 'All' },
    resource: { op: 'All' },
    conditions: [clause],
  };
}

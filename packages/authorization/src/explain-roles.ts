import { type Caller, ROLES, type Role } from '@portolan/plugin-api';
import type { AccessQuestion, ExplainedRole } from './access-explanation.ts';
import type { AccessPolicy } from './access-policy.ts';
import { explainKey } from './explain-key.ts';
import { matchRuleKeys, type RoleRule } from './granted-roles.ts';

/** Explains for each role which rule grants it, or what the caller lacks for each of its rules. */
export function explainRoles(question: AccessQuestion): readonly ExplainedRole[] {
  const { policy, roleRules, caller, reveal } = question;
  const grants = caller === undefined ? [] : policy.grantRoles(caller.claims);
  return ROLES.map((role) => {
    const grant = grants.find((one) => one.role === role);
    const grantedBy = policy.mode === 'full' ? (grant?.rule ?? null) : null;
    const held = policy.mode === 'anonymous' || caller?.roles.includes(role) === true;
    const because = whyRole(policy.mode, caller, held, grant !== undefined);
    const rules = roleRules?.[role] ?? [];
    const explained = rules.map((rule, at) => explainRule(rule, at, question));
    return {
      role,
      held,
      because,
      sentence: roleSentence(role, because, grantedBy, rules.length),
      grantedBy,
      rules: explained.filter(({ rule }) => reveal === 'everything' || rule === grantedBy),
    };
  });
}

function explainRule(rule: RoleRule, at: number, { caller, reveal }: AccessQuestion) {
  const keys = matchRuleKeys(rule, caller?.claims ?? {}).map((key) => explainKey(key, reveal));
  return { rule: at, matches: keys.length > 0 && keys.every(({ matches }) => matches), keys };
}

function whyRole(
  mode: AccessPolicy['mode'],
  caller: Caller | undefined,
  isGranted: boolean,
  granted: boolean,
): ExplainedRole['because'] {
  if (mode === 'anonymous') return mode;
  if (caller === undefined) return 'no-identity';
  if (isGranted !== granted) return isGranted ? 'hook' : 'removed-by-hook';
  if (mode === 'auth-only') return mode;
  return granted ? 'rule' : 'no-rule';
}

function roleSentence(
  role: Role,
  because: ExplainedRole['because'],
  grantedBy: number | null,
  rules: number,
): string {
  const place = `auth.authz.roles.${role}`;
  const sentences: Readonly<Record<ExplainedRole['because'], string>> = {
    rule: `Granted by ${place}[${grantedBy}].`,
    'auth-only': 'Granted to every caller, because auth.authz is not configured.',
    anonymous: 'Not asked for: the server identifies nobody, so nothing is checked.',
    hook: 'Given by a plugin (hook resolveRoles); no rule grants it.',
    'removed-by-hook': 'Granted, but taken away by a plugin (hook resolveRoles).',
    'no-rule':
      rules === 0 ? `Not granted: ${place} has no rules.` : `Not granted: no rule of ${place} matches.`,
    'no-identity': 'Not granted: no token was accepted.',
  };
  return sentences[because];
}

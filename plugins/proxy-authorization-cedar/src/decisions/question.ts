import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { Attributes } from '../engine/arguments.ts';
import type { Question } from '../policies/policy-set.ts';
import type { Principal } from '../request/principal.ts';
import { FEATURES, type Target } from '../request/target.ts';

export function questionOf(
  principal: Principal,
  target: Target,
  { server, hints }: { readonly server: string; readonly hints: Attributes },
): Question {
  const { feature, name, args } = target;
  const { action, type, operation } = FEATURES[feature];
  const resource: EntityJson = {
    uid: { type, id: name },
    attrs: {
      ...args,
      ...hints,
      name,
      operation,
      feature,
      ...(feature === 'resource' ? { uri: name } : {}),
    },
    parents: [{ type: 'MCP', id: server }],
  };
  return { principal: principal.entity, action, resource, context: { ...principal.claims, ...args } };
}

import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { Attributes } from '../engine/arguments.ts';
import type { Question } from '../policies/policy-set.ts';
import type { Principal } from '../request/principal.ts';
import { FEATURES, MEMBER_TYPE, type Target } from '../request/target.ts';

/** Server of a request. */
export interface AskedServer {
  /** Parent of all resources in a request. */
  readonly server: string;
  /** Whether tools and prompts have the names `MEMBER/NAME`, so that their member is a parent too. */
  readonly hasMembers: boolean;
}

export function questionOf(
  principal: Principal,
  target: Target,
  { server, hasMembers, hints }: AskedServer & { readonly hints: Attributes },
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
    parents: [{ type: 'MCP', id: server }, ...(hasMembers ? membersOf(target) : [])],
  };
  return { principal: principal.entity, action, resource, context: { ...principal.claims, ...args } };
}

/** Returns the member of a tool or prompt. URIs of resources say nothing about the member. */
function membersOf({ feature, name }: Target): readonly TypeAndId[] {
  const end = feature === 'resource' ? -1 : name.indexOf('/');
  return end < 1 ? [] : [{ type: MEMBER_TYPE, id: name.slice(0, end) }];
}

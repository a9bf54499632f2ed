import { hash } from 'node:crypto';
import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import { type Identity, type ClaimSet, isJsonObject } from '@portolan/plugin-api';
import type { Attributes } from '../engine/arguments.ts';
import type { CedarSettings } from '../cedar-config.ts';
import { toCedarValue } from '../engine/cedar-value.ts';

const USUAL_CLAIMS = ['groups', 'roles', 'cognito:groups'] as const;

/** Returns groups of the first existing group claim, and those of the role claim. */
export function groupsOf(
  claims: ClaimSet,
  { group_claim_name, role_claim_name }: Pick<CedarSettings, 'group_claim_name' | 'role_claim_name'>,
): readonly string[] {
  const names = [group_claim_name, ...USUAL_CLAIMS].filter((name) => name !== '');
  const first = names.map((name) => findClaim(claims, name)).find((value) => value !== undefined);
  const roles = role_claim_name === '' ? undefined : findClaim(claims, role_claim_name);
  return [...new Set([...textsIn(first), ...textsIn(roles)])];
}

/** Prefers the literal name, which can be a URL, over a path of object keys. */
function findClaim(claims: ClaimSet, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
  let claim: unknown = claims;
  for (const part of name.split('.')) {
    if (!isJsonObject(claim) || !Object.hasOwn(claim, part)) return undefined;
    claim = claim[part];
  }
  return claim ?? undefined;
}

function textsIn(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((item): item is string => typeof item === 'string' && item.isWellFormed());
}

export interface Principal {
  readonly uid: TypeAndId;
  readonly entity: EntityJson;
  /** Claims of the caller, which are in the context too. */
  readonly claims: Attributes;
  /** Hash of what policies read about the caller; equal for callers who get the same decisions. */
  readonly key: string;
}

/**
 * Returns undefined if the subject is invalid Unicode, where two subjects could collide. `narrowed` returns
 * what the policies read.
 */
export function principalOf(
  { subject, claims }: Identity,
  settings: CedarSettings,
  narrowed: (entity: EntityJson) => EntityJson,
): Principal | undefined {
  if (!subject.isWellFormed()) return undefined;
  const seen = Object.fromEntries(
    Object.entries(claims).flatMap(([name, value]) =>
      name.isWellFormed() ? attributesOf(name, value, settings.multi_valued_claims) : [],
    ),
  );
  const uid = { type: 'Client', id: subject };
  const parents = groupsOf(claims, settings).map((id) => ({ type: settings.group_entity_type, id }));
  const entity = { uid, attrs: seen, parents };
  return { uid, entity, claims: seen, key: hash('sha256', JSON.stringify(narrowed(entity)), 'base64url') };
}

function attributesOf(
  name: string,
  value: unknown,
  multiValued: readonly string[],
): [string, Attributes[string]][] {
  if (multiValued.includes(name)) {
    const texts = typeof value === 'string' ? value.split(/\s+/).filter((text) => text !== '') : value;
    const remaining = (Array.isArray(texts) ? texts : []).filter(
      (text): text is string => typeof text === 'string' && text.isWellFormed(),
    );
    if (Array.isArray(texts)) {
      return [
        [`claim_${name}`, remaining.join(' ')],
        [`claimset_${name}`, remaining],
      ];
    }
  }
  const seen = toCedarValue(value);
  return seen === undefined ? [] : [[`claim_${name}`, seen]];
}

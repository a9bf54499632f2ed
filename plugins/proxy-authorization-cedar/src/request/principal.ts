import { hash } from 'node:crypto';
import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { Identity } from '@portolan/plugin-api';
import type { Attributes } from '../engine/arguments.ts';
import type { CedarSettings } from '../cedar-config.ts';
import { toCedarValue } from '../engine/cedar-value.ts';
import { groupsOf } from './groups-of.ts';

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

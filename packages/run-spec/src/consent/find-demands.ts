import { isJsonObject } from '../document/json-members.ts';
import { findSecretReference } from '../parse/secret-reference.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { addMemberDemands } from './find-member-demands.ts';
import { type ConsentFacts, DemandList, type Demands, type Stranger } from './grant.ts';
import { NOTHING, RUN_CONFIG_RULES } from './run-config-rules.ts';
import { askReferredSecret, askUnknown, type Judged } from './setting-rules.ts';

/**
 * Returns the grants and refusals for settings that an untrusted author wrote. Pure: reads no file and opens
 * no connection. A setting without a rule needs a grant too.
 */
export function findDemands(
  config: Readonly<Partial<RunConfig>>,
  author: Stranger,
  facts: ConsentFacts,
): Demands {
  const demands = new DemandList();
  const start = { author, config, facts, demands };
  for (const [field, value] of Object.entries(config)) {
    if (field === 'members')
      addMemberDemands(config.members ?? {}, { author, facts, demands, judge: findDemands });
    else walk({ ...start, value, setting: field, key: field }, [field]);
  }
  return demands;
}

function walk(judged: Judged, path: readonly string[]): void {
  const { value, setting } = judged;
  if (value === undefined || value === '' || isEmpty(value)) return;
  const pattern = path.join('.');
  const rule = Object.hasOwn(RUN_CONFIG_RULES, pattern) ? RUN_CONFIG_RULES[pattern] : undefined;
  if (rule !== undefined) {
    if (rule !== NOTHING) rule(judged);
    findReferences(judged);
    return;
  }
  const parts = partsOf(value);
  if (parts === undefined || !hasRulesBelow(pattern)) {
    askUnknown(judged);
    findReferences(judged);
    return;
  }
  for (const [key, part] of parts) {
    const own = {
      ...judged,
      value: part,
      key,
      setting: Array.isArray(value) ? `${setting}[${key}]` : `${setting}.${key}`,
    };
    const isNamed = !Array.isArray(value) && hasRule(`${pattern}.${key}`);
    walk(own, [...path, isNamed ? key : hasRule(`${pattern}.*`) ? '*' : key]);
  }
}

function partsOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item, index) => [String(index), item] as const);
  return isJsonObject(value) ? Object.entries(value) : undefined;
}

function isEmpty(value: unknown): boolean {
  return partsOf(value)?.length === 0;
}

function hasRule(pattern: string): boolean {
  return Object.hasOwn(RUN_CONFIG_RULES, pattern) || hasRulesBelow(pattern);
}

function hasRulesBelow(pattern: string): boolean {
  return Object.keys(RUN_CONFIG_RULES).some((known) => known.startsWith(`${pattern}.`));
}

/** Fields whose rules already cover the secrets that they name. */
const NAMED_SECRETS = ['secrets', 'inline_secrets', 'header_forward'];

/** Adds a grant for each secret that a text of the value references. */
function findReferences(judged: Judged): void {
  const { value, setting } = judged;
  if (NAMED_SECRETS.includes(setting.split(/[.[]/)[0] ?? '')) return;
  if (typeof value === 'string') {
    const reference = findSecretReference(value);
    if (reference !== undefined) askReferredSecret(reference.name, judged);
  }
  for (const [key, part] of partsOf(value) ?? []) {
    findReferences({ ...judged, value: part, key, setting: `${setting}.${key}` });
  }
}

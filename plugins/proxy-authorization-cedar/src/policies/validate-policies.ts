import type {
  ActionType,
  DetailedError,
  EntityType,
  SchemaJson,
  Type,
  TypeOfAttribute,
  ValidationCall,
} from '@cedar-policy/cedar-wasm/nodejs';
import { attributeUses, type Shape } from './attribute-uses.ts';
import { CEDAR } from '../engine/cedar-engine.ts';
import { uidOf } from '../engine/known-entities.ts';
import { positionIn, withoutName } from './policy-text.ts';
import type { ReadPolicies } from './policy-set.ts';
import { FEATURES, MEMBER_TYPE } from '../request/target.ts';

/** Finding about a policy that probably does not do what its author meant. */
export interface Doubt {
  readonly place: string;
  readonly found: string;
  readonly expected: string;
}

const HINT: TypeOfAttribute<string> = { type: 'Boolean', required: false };
const TEXT: TypeOfAttribute<string> = { type: 'String' };
const HINTS = { readOnlyHint: HINT, destructiveHint: HINT, idempotentHint: HINT, openWorldHint: HINT };
const NAMED = { name: TEXT, operation: TEXT, feature: TEXT };

type Attributes = Record<string, TypeOfAttribute<string>>;

/** A check and the use that follows in one process share the result. */
let lastFound:
  | { readonly read: ReadPolicies; readonly groupType: string; readonly doubts: readonly Doubt[] }
  | undefined;

/**
 * Cedar's validator gets an inferred schema, in which claims and arguments have the types that policies use.
 */
export function findDoubts(read: ReadPolicies, groupType: string): readonly Doubt[] {
  if (lastFound?.read !== read || lastFound.groupType !== groupType)
    lastFound = { read, groupType, doubts: findAnew(read, groupType) };
  return lastFound.doubts;
}

function findAnew(read: ReadPolicies, groupType: string): readonly Doubt[] {
  const staticPolicies = Object.fromEntries(read.policies.map(({ place, text }) => [place, text]));
  try {
    const validationCall: ValidationCall = {
      schema: schemaOf(read, groupType),
      policies: { staticPolicies },
    };
    const result = CEDAR.use((cedar) => cedar.validate(validationCall));
    if (result.type === 'failure') return [];
    const texts = new Map(read.policies.map(({ place, text }) => [place, text]));
    const doubts = [...result.validationErrors, ...result.validationWarnings].map(({ policyId, error }) =>
      doubtOf(policyId, texts.get(policyId) ?? '', error),
    );
    // Report each finding once, not once per action.
    return [...new Map(doubts.map((doubt) => [doubt.place + doubt.found, doubt])).values()];
  } catch {
    return []; // the validator only warns
  }
}

function doubtOf(place: string, text: string, error: DetailedError): Doubt {
  const [at] = error.sourceLocations ?? [];
  const where = at === undefined ? '' : ` at ${positionIn(text, at.start)}`;
  return {
    place,
    found: `${withoutName(error.message).replace(/ in context for Action::"[^"]*"$/, ' in context')}${where}`,
    expected: error.help ?? 'a policy that can hold',
  };
}

/** Returns the schema of the policy guide, with the configured entities and the inferred attributes. */
export function schemaOf({ policies, entities }: ReadPolicies, groupType: string): SchemaJson<string> {
  const uses = attributeUses(policies.map(({ json }) => json));
  const claims = { ...attributesIn(uses.principal, /^claim(?:set)?_/), claim_sub: TEXT };
  const args = attributesIn(uses.resource, /^arg_/);
  const context = { ...attributesIn(uses.context, /^(?:claim|claimset|arg)_/), claim_sub: TEXT };
  const uids = [...entities.values()].flatMap(({ uid, parents }) => [uid, ...parents]).map(uidOf);
  const further = [...new Set(uids.map(({ type }) => type))].filter((type) => type !== 'Action');
  const inAny = [...new Set([groupType, 'MCP', MEMBER_TYPE, ...further])];
  const entityTypes: Record<string, EntityType<string>> = {
    ...Object.fromEntries(further.map((type) => [type, { memberOfTypes: inAny }])),
    [groupType]: { memberOfTypes: inAny },
    MCP: { memberOfTypes: inAny },
    [MEMBER_TYPE]: { memberOfTypes: inAny },
    FeatureType: {},
    Client: { memberOfTypes: inAny, shape: recordOf(claims) },
    Tool: { memberOfTypes: inAny, shape: recordOf({ ...args, ...HINTS, ...NAMED }) },
    Prompt: { memberOfTypes: inAny, shape: recordOf({ ...args, ...NAMED }) },
    Resource: { memberOfTypes: inAny, shape: recordOf({ ...args, ...NAMED, uri: TEXT }) },
  };
  const groupsOfActions = uids.filter(({ type }) => type === 'Action').map(({ id }) => [id, {}] as const);
  const actions: Record<string, ActionType<string>> = {
    ...Object.fromEntries(groupsOfActions),
    ...Object.fromEntries(
      Object.values(FEATURES).map(({ action, type }) => [action, actionOn(type, context, parentsOf(action))]),
    ),
    ...Object.fromEntries(
      ['list_tools', 'list_prompts', 'list_resources'].map((id) => [
        id,
        actionOn('FeatureType', context, []),
      ]),
    ),
  };
  return inNamespaces(entityTypes, actions);

  function parentsOf(action: string): readonly { readonly id: string }[] {
    const known = entities.get(`Action::${JSON.stringify(action)}`);
    return (known?.parents ?? []).map((parent) => ({ id: uidOf(parent).id }));
  }
}

function actionOn(
  resource: string,
  context: Attributes,
  memberOf: readonly { readonly id: string }[],
): ActionType<string> {
  return {
    appliesTo: { principalTypes: ['Client'], resourceTypes: [resource], context: recordOf(context) },
    memberOf: [...memberOf],
  };
}

/** Puts a type `A::B` into its namespace `A`. */
function inNamespaces(
  types: Readonly<Record<string, EntityType<string>>>,
  actions: Record<string, ActionType<string>>,
): SchemaJson<string> {
  const schema: SchemaJson<string> = { '': { entityTypes: {}, actions } };
  for (const [name, type] of Object.entries(types)) {
    const end = name.lastIndexOf('::');
    const space = end < 0 ? '' : name.slice(0, end);
    const part = (schema[space] ??= { entityTypes: {}, actions: {} });
    part.entityTypes[end < 0 ? name : name.slice(end + 2)] = type;
  }
  return schema;
}

function attributesIn({ members }: Shape, pattern: RegExp): Attributes {
  return Object.fromEntries(
    [...members]
      .filter(([name]) => pattern.test(name))
      .map(([name, shape]) => [name, { ...typeOf(name, shape), required: false }]),
  );
}

function typeOf(name: string, { members, type }: Shape): Type<string> {
  if (members.size > 0) {
    return recordOf(
      Object.fromEntries(
        [...members].map(([key, shape]) => [key, { ...typeOf(key, shape), required: false }]),
      ),
    );
  }
  if (type === 'Set' || name.startsWith('claimset_')) return { type: 'Set', element: { type: 'String' } };
  if (name.endsWith('_present')) return { type: 'Boolean' };
  if (type === 'decimal') return { type: 'Extension', name: 'decimal' };
  return { type: type ?? 'String' };
}

function recordOf(attributes: Attributes): Type<string> {
  return { type: 'Record', attributes };
}

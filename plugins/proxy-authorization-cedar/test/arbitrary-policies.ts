import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import type { Configured } from './oracle.ts';

/** Actions of tools, prompts and resources. */
export const NAMES = ['a', 'b', 'quo"te\\', '\u{1F511} key'];
export const GROUPS = ['g', 'h', 'all'];
const GROUP_TYPES = ['THVGroup', 'Team'];
const TYPES = ['Tool', 'Prompt', 'Resource'];

const quoted = (text: string): string => JSON.stringify(text);
const group = fc
  .tuple(fc.constantFrom(...GROUP_TYPES), fc.constantFrom(...GROUPS))
  .map(([type, name]) => `${type}::${quoted(name)}`);
const principalHead = fc.oneof(
  fc.constant('principal'),
  fc.constantFrom('u', 'v').map((name) => `principal == Client::${quoted(name)}`),
  { weight: 4, arbitrary: group.map((one) => `principal in ${one}`) },
  fc.constant('principal is Client'),
);
const actionHead = fc.constantFrom(
  'action',
  'action',
  'action == Action::"call_tool"',
  'action == Action::"read_resource"',
  'action in [Action::"call_tool", Action::"get_prompt"]',
);
const resourceHead = fc.oneof(
  { weight: 3, arbitrary: fc.constant('resource') },
  fc.constant('resource in MCP::"io.example/test-server"'),
  fc.constant('resource in MCP::"another"'),
  fc
    .tuple(fc.constantFrom(...TYPES), fc.constantFrom(...NAMES))
    .map(([type, name]) => `resource == ${type}::${quoted(name)}`),
  fc.constantFrom(...TYPES).map((type) => `resource is ${type}`),
);
const root = fc.constantFrom('context', 'principal', 'resource');
const path = fc.tuple(
  root,
  fc
    .tuple(fc.constantFrom('claim_', 'arg_'), fc.constantFrom('p', 'q', 'r'))
    .map(([prefix, name]) => `${prefix}${name}`),
);
/** Of a claim that may have several values, some under names with points. */
const several = fc.tuple(
  fc.constantFrom('context', 'principal'),
  fc.constantFrom('p', 'q', 'realm.groups').map(quoted),
);
const onSeveral = fc.oneof(
  several.map(([from, name]) => `${from} has ${named('claimset_', name)}`),
  several.map(([from, name]) => {
    const claim = named('claimset_', name);
    return `${from} has ${claim} && ${from}[${claim}].contains("x")`;
  }),
  several.map(([from, name]) => {
    const claim = named('claimset_', name);
    return `${from} has ${claim} && ${from}[${claim}].isEmpty()`;
  }),
  several.map(([from, name]) => {
    const claim = named('claim_', name);
    return `${from} has ${claim} && ${from}[${claim}] like "*x y*"`;
  }),
  several.map(([from, name]) => `${from}[${named('claim_', name)}] == "x y"`),
);
const condition = fc.oneof(
  path.map(([from, name]) => `${from} has ${name}`),
  path.map(([from, name]) => `${from} has ${name}_present`),
  path.map(([from, name]) => `${from} has ${name} && ${from}.${name} == "x"`),
  // Without asking for it: an error, where it is not there or is something else.
  path.map(([from, name]) => `${from}.${name} == true`),
  path.map(([from, name]) => `${from}.${name} < 5`),
  path.map(([from, name]) => `${from} has ${name} && ${from}.${name}.lessThan(decimal("1.2345"))`),
  path.map(([from, name]) => `${from} has ${name} && ${from}.${name}.contains("x")`),
  path.map(([from, name]) => `${from} has ${name} && ${from}.${name} has k && ${from}.${name}.k == "y"`),
  fc.constant('resource has destructiveHint && resource.destructiveHint'),
  fc.constantFrom(...NAMES).map((name) => `resource.name == ${quoted(name)}`),
  fc.constant('resource has uri && resource.uri like "*a*"'),
  fc.constant('resource.operation == "call" && resource.feature == "tool"'),
  group.map((one) => `principal in ${one}`),
  group.map((one) => `principal in [${one}, MCP::"another"]`),
  group.map((one) => `principal is Client in ${one}`),
  group.map((one) => `(if resource has arg_p then principal else resource) in ${one}`),
  fc.constant('principal in resource || resource in principal'),
  // Attributes that are reached in other ways than by the name of a variable and a point.
  path.map(([, name]) => `(if resource.feature == "tool" then principal else resource) has ${name}`),
  path.map(([, name]) => `{ "has": context, ".": 1 }["has"] has ${name}`),
  path.map(([from, name]) => `${from} has ${name} && [${from}.${name}].contains("x")`),
  path.map(([, name]) => `context has ${name} && context == { "${name}": context.${name} }`),
  path.map(([from, name]) => `${from} has ${name}.k`),
  { weight: 5, arbitrary: onSeveral },
);
const policy = fc
  .tuple(
    fc.constantFrom('permit', 'permit', 'permit', 'forbid'),
    principalHead,
    actionHead,
    resourceHead,
    fc.option(condition, { nil: undefined, freq: 2 }),
    fc.constantFrom('when', 'unless'),
  )
  .map(([effect, principal, action, resource, body, kind]) => {
    const head = `${effect}(${principal}, ${action}, ${resource})`;
    return body === undefined ? `${head};` : `${head} ${kind} { ${body} };`;
  });
const entity = fc.constantFrom<EntityJson>(
  { uid: { type: 'THVGroup', id: 'g' }, attrs: {}, parents: [{ type: 'THVGroup', id: 'all' }] },
  { uid: { type: 'Team', id: 'h' }, attrs: {}, parents: [{ type: 'THVGroup', id: 'all' }] },
  { uid: { type: 'Client', id: 'u' }, attrs: { claim_p: 'x' }, parents: [{ type: 'THVGroup', id: 'h' }] },
  { uid: { type: 'Tool', id: 'a' }, attrs: { arg_p: 'x' }, parents: [] },
  {
    uid: { type: 'MCP', id: 'io.example/test-server' },
    attrs: {},
    parents: [{ type: 'MCP', id: 'another' }],
  },
);

/** A single reason to allow: nothing else hides what it sees. */
const alone = fc.oneof(
  group.map((one) => [`permit(principal in ${one}, action, resource);`]),
  condition.map((body) => [`permit(principal, action, resource) when { ${body} };`]),
);

export const configured: fc.Arbitrary<Configured> = fc.record({
  policies: fc.oneof(fc.array(policy, { minLength: 1, maxLength: 5 }), alone),
  entities: fc.uniqueArray(entity, { maxLength: 5 }),
  // The last one is a member of every object that is searched carelessly.
  group_claim_name: fc.constantFrom('', '', 'p', 'realm.groups', 'realm.deep.groups', 'constructor.name'),
  role_claim_name: fc.constantFrom('', 'q', 'realm.roles'),
  group_entity_type: fc.constantFrom(...GROUP_TYPES),
  multi_valued_claims: fc.uniqueArray(fc.constantFrom('p', 'q', 'realm.groups')),
  list_tasks: fc.boolean(),
});

/** The name of an attribute, quoted, of the quoted name of a claim. */
function named(prefix: string, claim: string): string {
  return claim.replace('"', `"${prefix}`);
}

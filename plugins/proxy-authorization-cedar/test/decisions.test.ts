import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { PolicySet, readPolicies } from '../src/policy-set.ts';
import { oracle } from './oracle.ts';
import { Authorizer, configOf, request } from './support.ts';

const NAMES = ['a', 'b', 'quo"te\\', '\u{1F511} key'];
const GROUPS = ['g', 'h', 'all'];
const METHODS = ['tools/call', 'prompts/get', 'resources/read'] as const;
const TYPES = ['Tool', 'Prompt', 'Resource'];

const scalar = fc.oneof(
  fc.constantFrom('x', 'y', ''),
  fc.boolean(),
  fc.constantFrom(0, 1, -2.5, 1.23456, 3.00009, 1e300, 922_337_203_685_477, -7e-9),
  fc.constant(null),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('k', 'l'), scalar, { maxKeys: 2 }) },
);
const values = fc.dictionary(fc.constantFrom('p', 'q', 'r'), value, { maxKeys: 3 });

const quoted = (text: string): string => JSON.stringify(text);
const principalHead = fc.oneof(
  fc.constant('principal'),
  fc.constantFrom('u', 'v').map((name) => `principal == Client::${quoted(name)}`),
  fc.constantFrom(...GROUPS).map((name) => `principal in THVGroup::${quoted(name)}`),
  fc.constant('principal is Client'),
);
const actionHead = fc.constantFrom(
  'action',
  'action == Action::"call_tool"',
  'action == Action::"read_resource"',
  'action in [Action::"call_tool", Action::"get_prompt"]',
);
const resourceHead = fc.oneof(
  fc.constant('resource'),
  fc.constant('resource in MCP::"io.example/test-server"'),
  fc.constant('resource in MCP::"another"'),
  fc
    .tuple(fc.constantFrom(...TYPES), fc.constantFrom(...NAMES))
    .map(([type, name]) => `resource == ${type}::${quoted(name)}`),
  fc.constantFrom(...TYPES).map((type) => `resource is ${type}`),
);
const path = fc
  .tuple(
    fc.constantFrom('context', 'principal', 'resource'),
    fc.constantFrom('claim_', 'arg_'),
    fc.constantFrom('p', 'q', 'r'),
  )
  .map(([root, prefix, name]) => [root, `${prefix}${name}`] as const);
const condition = fc.oneof(
  path.map(([root, name]) => `${root} has ${name}`),
  path.map(([root, name]) => `${root} has ${name}_present`),
  path.map(([root, name]) => `${root} has ${name} && ${root}.${name} == "x"`),
  // Without asking for it: an error, where it is not there or is something else.
  path.map(([root, name]) => `${root}.${name} == true`),
  path.map(([root, name]) => `${root}.${name} < 5`),
  path.map(([root, name]) => `${root} has ${name} && ${root}.${name}.lessThan(decimal("1.2345"))`),
  path.map(([root, name]) => `${root} has ${name} && ${root}.${name}.contains("x")`),
  path.map(([root, name]) => `${root} has ${name} && ${root}.${name} has k && ${root}.${name}.k == "y"`),
  fc.constant('resource has destructiveHint && resource.destructiveHint'),
  fc.constantFrom(...NAMES).map((name) => `resource.name == ${quoted(name)}`),
  fc.constant('resource has uri && resource.uri like "*a*"'),
  fc.constant('resource.operation == "call" && resource.feature == "tool"'),
  fc.constant('principal in THVGroup::"all"'),
  fc.constant('principal in [THVGroup::"h", MCP::"another"]'),
  fc.constant('principal is Client in THVGroup::"all"'),
  fc.constant('(if resource has arg_p then principal else resource) in THVGroup::"g"'),
  fc.constant('principal in resource || resource in principal'),
  // Attributes that are reached in other ways than by the name of a variable and a point.
  path.map(([, name]) => `(if resource.feature == "tool" then principal else resource) has ${name}`),
  path.map(([, name]) => `{ "has": context, ".": 1 }["has"] has ${name}`),
  path.map(([root, name]) => `${root} has ${name} && [${root}.${name}].contains("x")`),
  path.map(([, name]) => `context has ${name} && context == { "${name}": context.${name} }`),
  path.map(([root, name]) => `${root} has ${name}.k`),
);
const policy = fc
  .tuple(
    fc.constantFrom('permit', 'permit', 'permit', 'forbid'),
    principalHead,
    actionHead,
    resourceHead,
    fc.option(condition, { nil: undefined }),
    fc.constantFrom('when', 'unless'),
  )
  .map(([effect, principal, action, resource, body, kind]) => {
    const head = `${effect}(${principal}, ${action}, ${resource})`;
    return body === undefined ? `${head};` : `${head} ${kind} { ${body} };`;
  });
const entity = fc.constantFrom<EntityJson>(
  { uid: { type: 'THVGroup', id: 'g' }, attrs: {}, parents: [{ type: 'THVGroup', id: 'all' }] },
  { uid: { type: 'Client', id: 'u' }, attrs: { claim_p: 'x' }, parents: [{ type: 'THVGroup', id: 'h' }] },
  { uid: { type: 'Tool', id: 'a' }, attrs: { arg_p: 'x' }, parents: [] },
  {
    uid: { type: 'MCP', id: 'io.example/test-server' },
    attrs: {},
    parents: [{ type: 'MCP', id: 'another' }],
  },
);
const asker = fc.record({
  subject: fc.constantFrom('u', 'v'),
  claims: fc
    .tuple(
      values,
      fc.record(
        {
          groups: fc.oneof(
            fc.array(fc.constantFrom<unknown>('g', 'h', 7), { maxLength: 2 }),
            fc.constant('g'),
          ),
          roles: fc.array(fc.constantFrom(...GROUPS), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([own, grouped]) => ({ ...own, ...grouped })),
});
const asked = fc.record({
  method: fc.constantFrom(...METHODS),
  name: fc.constantFrom(...NAMES),
  args: values,
  hints: fc.dictionary(fc.constantFrom('readOnlyHint', 'destructiveHint'), fc.boolean(), { maxKeys: 2 }),
});

describe('decisions', function () {
  this.timeout(limitMs(60_000));

  it('are those of Cedar on entities that are made by a second hand', async () => {
    const outcomes = { allowed: 0, denied: 0 };
    const walk = fc.asyncProperty(
      fc.array(policy, { minLength: 1, maxLength: 5 }),
      fc.uniqueArray(entity, { maxLength: 4 }),
      fc.array(fc.tuple(asker, asked), { minLength: 1, maxLength: 4 }),
      async (policies, entities, requests) => {
        const authorizer = await Authorizer.open(
          configOf(policies, { entities_json: JSON.stringify(entities) }),
        );
        try {
          for (const [who, what] of requests) {
            const { method, name, args, hints } = what;
            await authorizer.answered(request('tools/list'), { tools: [{ name, annotations: hints }] }, who);
            const params = method === 'resources/read' ? { uri: name } : { name, arguments: args };
            const isAllowed = await authorizer.allows(request(method, params), who);
            expect(isAllowed).to.equal(oracle(policies, entities, who, what));
            expect(await authorizer.allows(request(method, params), who), 'remembered').to.equal(isAllowed);
            outcomes[isAllowed ? 'allowed' : 'denied'] += 1;
          }
        } finally {
          await authorizer.close();
        }
      },
    );
    await fc.assert(walk, trials({ short: 150, long: 10_000 }));
    // Neither answer is the only one that was looked at.
    expect(Math.min(outcomes.allowed, outcomes.denied)).to.be.above(50);
  });

  it('about items of a list are those about calls without arguments, the second time too', async () => {
    const walk = fc.asyncProperty(
      fc.array(policy, { minLength: 1, maxLength: 5 }),
      asker,
      fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
      async (policies, who, names) => {
        const authorizer = await Authorizer.open(configOf(policies));
        try {
          const tools = names.map((name) => ({ name }));
          const expected = tools.filter(
            ({ name }) => !oracle(policies, [], who, { method: 'tools/call', name, args: {}, hints: {} }),
          );
          for (const time of ['asked', 'remembered']) {
            const hidden = await authorizer.hides('tools/list', 'tools', tools, who);
            expect(hidden, time).to.deep.equal(expected);
          }
        } finally {
          await authorizer.close();
        }
      },
    );
    await fc.assert(walk, trials({ short: 50, long: 2000 }));
  });

  it('give back the memory of policies that were replaced', () => {
    const names = Array.from({ length: 20_000 }, (_none, at) => `"name ${at}"`).join(',');
    const policies = [`permit(principal, action, resource) when { [${names}].contains(resource.name) };`];
    const read = readPolicies({ policies, entities_json: '' });
    if (!('policies' in read)) throw new Error('these are policies');
    const use = (times: number): number => {
      for (let time = 0; time < times; time += 1) new PolicySet(read).close();
      return process.memoryUsage().rss;
    };
    const before = use(5);
    // Kept, they would take more than two megabytes each.
    expect(use(20) - before).to.be.below(20_000_000);
  });
});

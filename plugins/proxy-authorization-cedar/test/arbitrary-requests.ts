import fc from 'fast-check';
import { GROUPS, NAMES } from './arbitrary-policies.ts';
import type { Asked, Asker, Begun, Heard } from './oracle.ts';

export const TASKS = ['t1', 't2'];

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
const names = fc.constantFrom(...NAMES);

const grouping = fc.oneof(
  fc.array(fc.constantFrom<unknown>(...GROUPS, 'x', 7), { maxLength: 3 }),
  fc.constantFrom<unknown>('g', 'h', 'x y', ' \t', 7),
);
const deepRealm = fc.record({ groups: grouping, roles: grouping, deep: fc.record({ groups: grouping }) });
/** Claims that groups may be in; few at a time, since the first that is there hides others. */
const grouped = fc.uniqueArray(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom('groups', 'roles', 'cognito:groups', 'realm.groups'), grouping),
    },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom('p', 'q'), grouping) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('groups'), fc.constant(null)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('realm'), fc.oneof(deepRealm, deepRealm, grouping)) },
  ),
  { minLength: 1, maxLength: 3, selector: ([name]) => name },
);
const issuer = fc.constantFrom('https://a.example', 'https://b.example');

export const asker: fc.Arbitrary<Asker> = fc
  .tuple(fc.constantFrom('u', 'v'), issuer, values, grouped)
  .map(([subject, iss, others, groups]) => ({
    subject,
    claims: { iss, ...others, ...Object.fromEntries(groups) },
  }));

const about = fc.constantFrom('tools/call', 'prompts/get');
const reading = fc.constantFrom('resources/read', 'resources/subscribe', 'resources/unsubscribe');
const ofTask = fc.constantFrom('tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel');
const ref = fc.oneof(
  names.map((name) => ({ type: 'ref/prompt', name })),
  names.map((uri) => ({ type: 'ref/resource', uri })),
  names.map((name) => ({ type: 'ref/tool', name })),
);

export const asked: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ method: about, params: fc.record({ name: names, arguments: values }) }),
  },
  {
    weight: 3,
    // Only calls and prompts have arguments, also when a client writes others.
    arbitrary: fc.record({ method: reading, params: fc.record({ uri: names, arguments: values }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      method: fc.constant('completion/complete'),
      params: fc.record({ ref, argument: fc.constant({ name: 'p', value: 'x' }), arguments: values }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      method: ofTask,
      params: fc.record({ taskId: fc.constantFrom(...TASKS, ...TASKS, 'nobody saw it') }),
    }),
  },
  fc.constant({ method: 'tasks/list', params: {} }),
);

const hint = fc.dictionary(fc.constantFrom('readOnlyHint', 'destructiveHint'), fc.boolean(), { maxKeys: 2 });

/** What the server has said before a request of `who`, to whom most of the tasks belong. */
const heardBy = (who: Asker): fc.Arbitrary<Heard> =>
  fc.record({
    hints: fc.record(Object.fromEntries(NAMES.map((name) => [name, hint]))),
    begun: fc.array(begunBy(who), { minLength: 1, maxLength: 3 }),
  });

const begunBy = (who: Asker): fc.Arbitrary<Begun> =>
  fc.record({
    taskId: fc.constantFrom(...TASKS),
    by: fc.oneof(
      { weight: 3, arbitrary: fc.constant(who) },
      // The same one by another token, or somebody else.
      { weight: 1, arbitrary: asker },
    ),
    tool: names,
    args: values,
  });

/** Somebody who asks, and what was heard before. */
export const situation = asker.chain((who) => fc.tuple(fc.constant(who), heardBy(who)));

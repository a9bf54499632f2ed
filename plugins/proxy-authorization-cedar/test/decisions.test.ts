import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { PolicySet, readPolicies } from '../src/policies/policy-set.ts';
import { configured, NAMES } from './arbitrary-policies.ts';
import { asked, situation, TASKS } from './arbitrary-requests.ts';
import { type Asked, type Asker, type Begun, type Configured, type Heard, oracle } from './oracle.ts';
import { Authorizer, call, configOf, request } from './support.ts';

const open = ({ policies, entities, ...settings }: Configured): Promise<Authorizer> =>
  Authorizer.open(configOf(policies, { ...settings, entities_json: JSON.stringify(entities) }));

/** Shows an authorizer what the server says. */
async function hear(authorizer: Authorizer, { hints, begun }: Heard, who: Asker): Promise<void> {
  const tools = Object.entries(hints).map(([name, annotations]) => ({ name, annotations }));
  await authorizer.answered(request('tools/list'), { tools }, who);
  for (const { taskId, by, tool, args } of begun)
    await authorizer.answered(call(tool, args), { task: { taskId } }, by);
}

/** Lists with the entity that each item is judged as. */
const LISTS: readonly {
  readonly method: string;
  readonly member: string;
  readonly names: readonly string[];
  readonly item: (name: string, hints: Heard['hints']) => object;
  readonly asks: (name: string) => Asked;
}[] = [
  {
    method: 'tools/list',
    member: 'tools',
    names: NAMES,
    item: (name, hints) => ({ name, annotations: hints[name] }),
    asks: (name) => ({ method: 'tools/call', params: { name } }),
  },
  {
    method: 'prompts/list',
    member: 'prompts',
    names: NAMES,
    item: (name) => ({ name }),
    asks: (name) => ({ method: 'prompts/get', params: { name } }),
  },
  {
    method: 'resources/list',
    member: 'resources',
    names: NAMES,
    item: (uri) => ({ uri }),
    asks: (uri) => ({ method: 'resources/read', params: { uri } }),
  },
  {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    names: NAMES,
    item: (uriTemplate) => ({ uriTemplate }),
    asks: (uri) => ({ method: 'resources/read', params: { uri } }),
  },
  {
    method: 'tasks/list',
    member: 'tasks',
    names: [...TASKS, 'nobody saw it'],
    item: (taskId) => ({ taskId }),
    asks: (taskId) => ({ method: 'tasks/get', params: { taskId } }),
  },
];

/** How often each was allowed and denied: a walk that saw only one of both of something has seen nothing. */
class Outcomes {
  readonly #seen = new Map<string, { allowed: number; denied: number }>();

  note(what: string, isAllowed: boolean): void {
    const seen = this.#seen.get(what) ?? { allowed: 0, denied: 0 };
    seen[isAllowed ? 'allowed' : 'denied'] += 1;
    this.#seen.set(what, seen);
  }

  /** The rarer of both, of that of which it is rarest. */
  get least(): number {
    return Math.min(...[...this.#seen.values()].flatMap(({ allowed, denied }) => [allowed, denied]));
  }
}

describe('CedarAuthorizer decisions', function () {
  this.timeout(limitMs(60_000));

  it("equal Cedar's decisions on independently built entities", async () => {
    const outcomes = new Outcomes();
    const walk = fc.asyncProperty(
      configured,
      fc.array(fc.tuple(situation, fc.array(asked, { minLength: 1, maxLength: 4 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (is, visits) => {
        const authorizer = await open(is);
        const begun: Begun[] = [];
        try {
          for (const [[who, heard], several] of visits) {
            await hear(authorizer, heard, who);
            begun.push(...heard.begun);
            for (const what of several) {
              const asking = request(what.method, what.params);
              const isAllowed = await authorizer.allows(asking, who);
              expect(isAllowed).to.equal(oracle(is, { ...heard, begun }, who, what));
              expect(await authorizer.allows(asking, who), 'remembered').to.equal(isAllowed);
              outcomes.note(what.method, isAllowed);
            }
          }
        } finally {
          await authorizer.close();
        }
      },
    );
    await fc.assert(walk, trials({ short: 150, long: 10_000, fast: 100 }));
    expect(outcomes.least).to.be.above(2);
  });

  it('for list items equal those about calls without arguments, also from the cache', async () => {
    const outcomes = new Outcomes();
    const walk = fc.asyncProperty(configured, situation, async (is, [who, heard]) => {
      const authorizer = await open(is);
      try {
        await hear(authorizer, heard, who);
        for (const { method, member, names, item, asks } of LISTS) {
          const items = names.map((name) => item(name, heard.hints));
          const isAllowed = names.map((name) => oracle(is, heard, who, asks(name)));
          for (const one of isAllowed) outcomes.note(method, one);
          for (const time of ['asked', 'remembered']) {
            const hidden = await authorizer.hides(method, member, items, who);
            expect(hidden, `${method}, ${time}`).to.deep.equal(items.filter((_item, at) => !isAllowed[at]));
          }
        }
      } finally {
        await authorizer.close();
      }
    });
    await fc.assert(walk, trials({ short: 50, long: 2000, fast: 25 }));
    expect(outcomes.least).to.be.above(2);
  });

  it('for subscriptions equal those about reads and tasks', async () => {
    const outcomes = new Outcomes();
    const walk = fc.asyncProperty(configured, situation, async (is, [who, heard]) => {
      const authorizer = await open(is);
      try {
        await hear(authorizer, heard, who);
        const wanted = { resourceSubscriptions: NAMES, taskIds: TASKS };
        const verdict = await authorizer.ask(request('subscriptions/listen', { notifications: wanted }), who);
        const isAllowed = {
          resourceSubscriptions: NAMES.map((uri) =>
            oracle(is, heard, who, { method: 'resources/subscribe', params: { uri } }),
          ),
          taskIds: TASKS.map((taskId) => oracle(is, heard, who, { method: 'tasks/get', params: { taskId } })),
        };
        const change = Object.entries(isAllowed).flatMap(([kind, each]) => {
          for (const one of each) outcomes.note(kind, one);
          return each.flatMap((one, at) =>
            one ? [] : [{ path: ['params', 'notifications', kind, at], json: undefined }],
          );
        });
        expect(verdict).to.deep.equal(change.length === 0 ? undefined : { change });
      } finally {
        await authorizer.close();
      }
    });
    await fc.assert(walk, trials({ short: 50, long: 2000, fast: 25 }));
    expect(outcomes.least).to.be.above(2);
  });

  it('use no memory for replaced policies', () => {
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

import { expect } from 'chai';
import { PolicySet, readPolicies } from '../src/policies/policy-set.ts';
import { usedAttributes } from '../src/policies/used-attributes.ts';
import { usedIds } from '../src/policies/used-parents.ts';

/** Conditions, and the names that a decision about them can depend on; undefined: all. */
const ROWS: readonly (readonly [condition: string, used: readonly string[] | undefined])[] = [
  ['context.arg_a == "x"', ['arg_a']],
  ['principal has claim_a && resource has arg_b', ['arg_b', 'claim_a']],
  ['context["odd name"] like "*x*"', ['odd name']],
  ['principal.claim_a.inner.deepest == 1', ['claim_a', 'deepest', 'inner']],
  ['context has claim_a.inner', ['claim_a', 'inner']],
  ['(if true then principal else resource).arg_a', ['arg_a']],
  ['{ ".": principal.claim_a, "has": 1 }["has"] == 1', ['claim_a', 'has']],
  ['resource.arg_a.lessThan(decimal("1.0")) || !(resource.arg_b == "context")', ['arg_a', 'arg_b']],
  ['[resource, principal].contains(principal)', []],
  ['context == { arg_a: "x" }', undefined],
  ['{ "inner": context }.inner.arg_a == "x"', undefined],
  ['{ "Value": context }.Value.arg_a == "x"', undefined],
  ['{ ".": context }["."].arg_a == "x"', undefined],
  ['[context].contains({ arg_a: "x" })', undefined],
  ['(if true then context else context).arg_a == "x"', undefined],
];

describe('usedAttributes', () => {
  for (const [condition, used] of ROWS) {
    it(`returns the attributes of ${condition}`, () => {
      const read = readPolicies({
        policies: [
          `permit(principal, action, resource) when { ${condition} };`,
          'forbid(principal, action, resource in MCP::"x");',
        ],
        entities_json: '',
      });
      if (!('policies' in read)) throw new Error(JSON.stringify(read));
      const names = usedAttributes(read.policies.map(({ json }) => json));
      expect(names === undefined ? undefined : [...names].toSorted()).to.deep.equal(used);
    });
  }
});

/** Conditions, and the ids that parents of the question are compared with; undefined: any. */
const IDS: readonly (readonly [condition: string, used: readonly string[] | undefined])[] = [
  ['context.arg_a == "x"', []],
  ['principal in THVGroup::"g"', ['g']],
  ['principal in [THVGroup::"g", THVGroup::"quo\\"te"]', ['g', 'quo"te']],
  ['principal is Client in THVGroup::"g"', ['g']],
  ['resource == Tool::"t" && !(principal in THVGroup::"\\u{67}")', ['g', 't']],
  ['{ "id": "x" }.id == "x"', []],
  ['principal in resource', undefined],
  ['principal in context.arg_a', undefined],
  ['principal in [THVGroup::"g", resource]', undefined],
  ['resource is Tool in principal', undefined],
  ['principal in (if true then THVGroup::"g" else THVGroup::"h")', undefined],
];

describe('usedIds', () => {
  function idsOf(policy: string, entities: readonly object[] = []): readonly string[] | undefined {
    const read = readPolicies({ policies: [policy], entities_json: JSON.stringify(entities) });
    if (!('policies' in read)) throw new Error(JSON.stringify(read));
    const ids = usedIds(
      read.policies.map(({ json }) => json),
      read.entities.values(),
    );
    return ids === undefined ? undefined : [...ids].toSorted();
  }

  for (const [condition, used] of IDS) {
    it(`returns the ids of ${condition}`, () => {
      expect(idsOf(`permit(principal, action, resource) when { ${condition} };`)).to.deep.equal(used);
    });
  }

  it('includes the ids of policy scopes and of configured entities', () => {
    const head =
      'permit(principal in THVGroup::"a", action in [Action::"call_tool"], resource is Tool in MCP::"m");';
    const known = [
      { uid: { type: 'THVGroup', id: 'b' }, parents: [{ __entity: { type: 'THVGroup', id: 'c' } }] },
      { uid: { type: 'X', id: 'd' }, attrs: { owners: [{ __entity: { type: 'THVGroup', id: 'e' } }] } },
    ];
    expect(idsOf(head, known)).to.deep.equal(['a', 'b', 'c', 'call_tool', 'd', 'e', 'm']);
  });

  it('reduces the parents of a caller in 50,000 groups', () => {
    const read = readPolicies({
      policies: ['permit(principal in THVGroup::"g7", action, resource);'],
      entities_json: '',
    });
    if (!('policies' in read)) throw new Error('these are policies');
    const set = new PolicySet(read);
    const parents = Array.from({ length: 50_000 }, (_none, at) => ({ type: 'THVGroup', id: `g${at}` }));
    const entity = { uid: { type: 'Client', id: 'ann' }, attrs: {}, parents };
    expect(set.narrowed(entity).parents).to.deep.equal([{ type: 'THVGroup', id: 'g7' }]);
    const resource = { uid: { type: 'Tool', id: 't' }, attrs: {}, parents: [] };
    expect(set.decide({ principal: entity, action: 'call_tool', resource, context: {} }).isAllowed).to.equal(
      true,
    );
    set.close();
  });
});

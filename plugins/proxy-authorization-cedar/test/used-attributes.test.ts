import { expect } from 'chai';
import { readPolicies } from '../src/policy-set.ts';
import { usedAttributes } from '../src/used-attributes.ts';

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

describe('attributes that policies use', () => {
  for (const [condition, used] of ROWS) {
    it(`of ${condition}`, () => {
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

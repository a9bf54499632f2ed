import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { cedarAuthorization } from '../src/index.ts';
import { configOf } from './support.ts';

const check = (policies: readonly string[], more = {}) =>
  cedarAuthorization.check?.(configOf(policies, more), createTestContext()) ?? [];

describe('checkCedar', () => {
  const faults: readonly (readonly [
    policies: readonly string[],
    more: object,
    place: string,
    found: RegExp,
  ])[] = [
    [
      ['permit(principal, action, resource);', 'permit(principal,\n  actoin)'],
      {},
      'cedar.policies[1]',
      /line 2, column 10$/,
    ],
    [
      ['// é\npermit(principal, action, resource) when { ü };'],
      {},
      'cedar.policies[0]',
      /line 2, column 44$/,
    ],
    [
      ['permit(principal, action, resource); permit(principal, action, resource);'],
      {},
      'cedar.policies[0]',
      /column 38/,
    ],
    [['permit(principal == ?principal, action, resource);'], {}, 'cedar.policies[0]', /template/],
    [[' '], {}, 'cedar.policies[0]', /end of input/],
    [['permit(principal, action, resource) when { foo() };'], {}, 'cedar.policies[0]', /foo/],
    [['permit(principal, action, resource);'], { entities_json: '{' }, 'cedar.entities_json', /not JSON/],
    [
      ['permit(principal, action, resource);'],
      { entities_json: '{}' },
      'cedar.entities_json',
      /other than a list/,
    ],
    [
      ['permit(principal, action, resource);'],
      { entities_json: '[{"uid":7}]' },
      'cedar.entities_json',
      /uid/,
    ],
    [
      ['permit(principal, action, resource);'],
      {
        entities_json: JSON.stringify([
          { uid: { type: 'A', id: '1' }, parents: [{ type: 'A', id: '2' }] },
          { uid: { type: 'A', id: '2' }, parents: [{ type: 'A', id: '1' }] },
        ]),
      },
      'cedar.entities_json',
      /cycle/,
    ],
  ];
  for (const [policies, more, place, found] of faults) {
    it(`refuses ${JSON.stringify([policies.at(-1), more]).slice(0, 90)}`, () => {
      const [fault, other] = check(policies, more);
      expect(other).to.equal(undefined);
      expect(fault?.place).to.equal(place);
      expect(fault?.found).to.match(found);
      expect(fault?.isWarning).to.equal(undefined);
    });
  }

  it('reports every invalid policy', () => {
    expect(check(['a', 'permit(principal, action, resource);', 'b']).map(({ place }) => place)).to.deep.equal(
      ['cedar.policies[0]', 'cedar.policies[2]'],
    );
  });

  const doubts: readonly (readonly [policy: string, found: RegExp | undefined])[] = [
    ['permit(principal, action == Action::"call_tool", resource == Tool::"forecast");', undefined],
    [
      'permit(principal in THVGroup::"a", action in [Action::"call_tool", Action::"get_prompt"], resource);',
      undefined,
    ],
    [
      'permit(principal, action, resource is Resource in MCP::"s") when { resource.uri like "file:*" };',
      undefined,
    ],
    ['permit(principal, action, resource is Tool in Server::"github");', undefined],
    [
      'forbid(principal, action, resource) when { resource has destructiveHint && resource.destructiveHint };',
      undefined,
    ],
    ['permit(principal, action, resource) when { principal.claim_sub == "ann" };', undefined],
    [
      'permit(principal, action, resource) when { context has arg_n && context.arg_n.lessThan(decimal("5.0")) };',
      undefined,
    ],
    [
      'permit(principal, action, resource) when { context has claim_r && context.claim_r has l && context.claim_r.l.contains("a") };',
      undefined,
    ],
    [
      'permit(principal, action, resource) when { context has claimset_s && context.claimset_s.containsAny(["a"]) };',
      undefined,
    ],
    ['permit(principal, action, resource) when { context has arg_x_present };', undefined],
    [
      'permit(principal, action, resource) when { context has arg_n && context.arg_n < 5 };',
      /expected Long but saw decimal/,
    ],
    ['permit(principal, action, resource) when { context.arg_n == "x" };', /optional attribute `arg_n`/],
    ['permit(principal, action, resource) when { resource.destructiveHint };', /destructiveHint/],
    ['permit(principal, action == Action::"cal_tool", resource);', /unrecognized action/],
    ['permit(principal in Group::"a", action, resource);', /unrecognized entity type `Group`/],
    [
      'permit(principal, action == Action::"call_tool", resource == Prompt::"a");',
      /unable to find an applicable action/,
    ],
    ['permit(principal, action, resource) when { context.user == "ann" };', /user/],
  ];
  for (const [policy, found] of doubts) {
    it(`${found === undefined ? 'accepts' : 'warns about'} ${policy}`, () => {
      const told = check([policy]);
      if (found === undefined) expect(told).to.deep.equal([]);
      else {
        expect(
          told.some((doubt) => found.test(doubt.found)),
          JSON.stringify(told),
        ).to.equal(true);
        expect(told.every(({ isWarning }) => isWarning)).to.equal(true);
      }
    });
  }

  it('knows the types, action groups and namespaces of the entities', () => {
    const entities_json = JSON.stringify([
      { uid: { type: 'THVGroup', id: 'a' }, parents: [{ type: 'Acme::Team', id: 'x' }] },
      { uid: { type: 'Action', id: 'call_tool' }, parents: [{ type: 'Action', id: 'all' }] },
    ]);
    const policy = 'permit(principal in Acme::Team::"x", action in Action::"all", resource);';
    expect(check([policy], { entities_json })).to.deep.equal([]);
  });
});

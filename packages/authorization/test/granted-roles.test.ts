import { expect } from 'chai';
import { grantRoles, type RoleRule } from '@portolan/authorization';
import type { ClaimSet } from '@portolan/plugin-api';

function granted(rules: string, held: string): boolean {
  // SAFETY: every text stands in this file; odd values are the point.
  const manageEntries = JSON.parse(rules) as RoleRule[];
  const claims = JSON.parse(held) as ClaimSet;
  return grantRoles({ manageEntries }, claims).length === 1;
}

const TWO_RULES = '[{"org":"acme","team":["eng","ops"]},{"role":"admin"}]';

const CASES: readonly { readonly rules: string; readonly held: string; readonly granted: boolean }[] = [
  // Any rule is enough (OR); within one every key has to match (AND).
  { rules: TWO_RULES, held: '{"org":"acme","team":"ops"}', granted: true },
  { rules: TWO_RULES, held: '{"org":"acme"}', granted: false },
  { rules: TWO_RULES, held: '{"team":"ops"}', granted: false },
  { rules: TWO_RULES, held: '{"org":"other","team":"ops"}', granted: false },
  { rules: TWO_RULES, held: '{"role":["admin","x"]}', granted: true },
  { rules: TWO_RULES, held: '{"org":"acme","role":"admin"}', granted: true },
  { rules: TWO_RULES, held: '{}', granted: false },
  // A list in the token: any element; a list in the rule: any value.
  { rules: '[{"team":"eng"}]', held: '{"team":["ops","eng"]}', granted: true },
  { rules: '[{"team":["eng"]}]', held: '{"team":"eng"}', granted: true },
  { rules: '[{"team":["eng","ops"]}]', held: '{"team":["x","ops"]}', granted: true },
  { rules: '[{"team":["eng","ops"]}]', held: '{"team":["x"]}', granted: false },
  // Nothing is granted by nothing.
  { rules: '[]', held: '{"role":"admin"}', granted: false },
  { rules: '[{}]', held: '{"role":"admin"}', granted: false },
  { rules: '[{"team":[]}]', held: '{"team":"eng"}', granted: false },
  { rules: '[{"team":[]}]', held: '{"team":[]}', granted: false },
  { rules: '[{"team":"eng"}]', held: '{"team":[]}', granted: false },
  { rules: '[{},{"role":"admin"}]', held: '{"role":"admin"}', granted: true },
  // Only texts count, and they are compared exactly.
  { rules: '[{"level":"3"}]', held: '{"level":3}', granted: false },
  { rules: '[{"level":3}]', held: '{"level":3}', granted: false },
  { rules: '[{"level":["3",3]}]', held: '{"level":[3]}', granted: false },
  { rules: '[{"admin":"true"}]', held: '{"admin":true}', granted: false },
  { rules: '[{"role":"admin"}]', held: '{"role":"Admin"}', granted: false },
  { rules: '[{"role":"admin"}]', held: '{"Role":"admin"}', granted: false },
  { rules: '[{"role":"admin"}]', held: '{"role":"\\u0430dmin"}', granted: false },
  { rules: '[{"role":"admin"}]', held: '{"role":"admin "}', granted: false },
  { rules: '[{"role":"admin"}]', held: '{"role":[["admin"]]}', granted: false },
  { rules: '[{"role":"admin"}]', held: '{"role":{"admin":"admin"}}', granted: false },
  // A name with a dot is one name.
  { rules: '[{"realm.roles":"x"}]', held: '{"realm":{"roles":"x"}}', granted: false },
  // Names that objects have.
  { rules: '[{"__proto__":"x"}]', held: '{}', granted: false },
  { rules: '[{"__proto__":"x"}]', held: '{"__proto__":"x"}', granted: true },
  { rules: '[{"role":"admin"}]', held: '{"__proto__":{"role":"admin"}}', granted: false },
  { rules: '[{"__proto__":{"role":"admin"}}]', held: '{"role":"admin"}', granted: false },
  { rules: '[{"constructor":"Object"}]', held: '{}', granted: false },
];

describe('grantRoles', () => {
  for (const { rules, held, granted: expected } of CASES) {
    it(`${rules} ${expected ? 'grant' : 'do not grant'} the role to ${held}`, () => {
      expect(granted(rules, held)).to.equal(expected);
    });
  }

  it('returns each granted role once, in a fixed order, with its first matching rule', () => {
    const rules = {
      manageEntries: [{ team: 'x' }, { team: 'eng' }, { org: 'acme' }],
      superAdmin: [{ org: 'acme' }],
      manageSources: [{ team: 'x' }],
    };
    expect(grantRoles(rules, { org: 'acme', team: 'eng' })).to.deep.equal([
      { role: 'superAdmin', rule: 0 },
      { role: 'manageEntries', rule: 1 },
    ]);
  });

  it('grants only the four roles', () => {
    const rules = JSON.parse(
      '{"admin":[{"org":"acme"}],"superadmin":[{"org":"acme"}],"__proto__":[{"org":"acme"}]}',
    );
    expect(grantRoles(rules, { org: 'acme' })).to.deep.equal([]);
  });

  it('grants nothing without rules', () => {
    expect(grantRoles({}, { org: 'acme', role: 'superAdmin', roles: ['superAdmin'] })).to.deep.equal([]);
  });

  it('matches the last of ten thousand values in a token', () => {
    const team = Array.from({ length: 10_000 }, (_, at) => `team-${at}`);
    expect(grantRoles({ manageSources: [{ team: 'team-9999' }] }, { team })).to.have.length(1);
    expect(grantRoles({ manageSources: [{ team: 'team-10000' }] }, { team })).to.deep.equal([]);
  });
});

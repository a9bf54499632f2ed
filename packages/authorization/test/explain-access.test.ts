import type { Caller, Role } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  type AccessQuestion,
  anonymousPolicy,
  authOnlyPolicy,
  createFullPolicy,
  explainAccess,
  type RoleRules,
} from '../src/index.ts';

const RULES: RoleRules = {
  superAdmin: [{ group: 'root' }],
  manageEntries: [{ org: 'acme', team: ['maps', 'tides'] }, { role: 'publisher' }],
};
const FULL = createFullPolicy(RULES);

function caller(claims: Caller['claims'], roles: readonly Role[] = []): Caller {
  return { subject: 'u-1', user: 'Una', provider: 'corp', claims, roles };
}

function ask(question: Partial<AccessQuestion>) {
  return explainAccess({
    policy: FULL,
    roleRules: RULES,
    caller: caller({ org: 'acme', team: 'maps' }, ['manageEntries']),
    reveal: 'everything',
    ...question,
  });
}

describe('explainAccess', () => {
  it('returns the caller without their claims', () => {
    expect(ask({}).caller).to.deep.equal({
      subject: 'u-1',
      user: 'Una',
      provider: 'corp',
      roles: ['manageEntries'],
    });
  });

  it('returns the rule that grants a role, and what other rules lack', () => {
    const role = ask({}).roles.find((one) => one.role === 'manageEntries');
    expect(role).to.deep.include({ held: true, because: 'rule', grantedBy: 0 });
    expect(role?.sentence).to.equal('Granted by auth.authz.roles.manageEntries[0].');
    expect(role?.rules).to.deep.equal([
      {
        rule: 0,
        matches: true,
        keys: [
          { key: 'org', required: ['acme'], held: ['acme'], matches: true },
          { key: 'team', required: ['maps', 'tides'], held: ['maps'], matches: true },
        ],
      },
      {
        rule: 1,
        matches: false,
        keys: [{ key: 'role', required: ['publisher'], held: null, matches: false }],
      },
    ]);
  });

  const roleCases = [
    { title: 'a role without rules', role: 'manageSources', because: 'no-rule', held: false },
    {
      title: 'a role that no rule grants to the caller',
      role: 'superAdmin',
      because: 'no-rule',
      held: false,
    },
    {
      title: 'a role that the hook has added',
      question: { caller: caller({}, ['manageSources']) },
      role: 'manageSources',
      because: 'hook',
      held: true,
    },
    {
      title: 'a role that the hook has removed',
      question: { caller: caller({ role: 'publisher' }) },
      role: 'manageEntries',
      because: 'removed-by-hook',
      held: false,
    },
    {
      title: 'a role without a caller',
      question: { caller: undefined },
      role: 'manageEntries',
      because: 'no-identity',
      held: false,
    },
    {
      title: 'a role without auth.authz',
      question: {
        policy: authOnlyPolicy,
        roleRules: undefined,
        caller: caller({}, ['superAdmin', 'manageEntries']),
      },
      role: 'manageEntries',
      because: 'auth-only',
      held: true,
    },
    {
      title: 'a role in anonymous mode',
      question: { policy: anonymousPolicy, roleRules: undefined, caller: undefined },
      role: 'manageEntries',
      because: 'anonymous',
      held: true,
    },
  ];
  for (const { title, question, role, because, held } of roleCases) {
    it(`explains ${title}`, () => {
      const found = ask(question ?? {}).roles.find((one) => one.role === role);
      expect(found).to.deep.include({ because, held });
    });
  }

  it('shows that an empty rule, or an empty list in one, does not match', () => {
    const roleRules: RoleRules = { manageEntries: [{}, { org: [] }] };
    const { roles } = ask({
      policy: createFullPolicy(roleRules),
      roleRules,
      caller: caller({ org: 'acme' }),
    });
    const role = roles.find((one) => one.role === 'manageEntries');
    expect(role?.rules.map(({ matches }) => matches)).to.deep.equal([false, false]);
  });

  it('explains access to a registry key by key', () => {
    const { registry } = ask({ registry: { name: 'main', claims: { org: 'acme', team: ['ops'] } } });
    expect(registry).to.deep.equal({
      name: 'main',
      allowed: false,
      because: 'claims-missing',
      sentence: 'Closed: a required claim is missing, or has another value.',
      keys: [
        { key: 'org', required: ['acme'], held: ['acme'], matches: true },
        { key: 'team', required: ['ops'], held: ['maps'], matches: false },
      ],
    });
  });

  it('explains that a registry without claims is for superAdmins', () => {
    expect(ask({ registry: { name: 'main', claims: {} } }).registry?.because).to.equal('unlabelled');
    const root = caller({ group: 'root' }, ['superAdmin']);
    expect(ask({ caller: root, registry: { name: 'main', claims: {} } }).registry?.because).to.equal(
      'super-admin',
    );
  });

  const main = { name: 'main', claims: { org: 'acme' } };
  const sources = [
    { source: 'secret', claims: { org: 'acme', team: 'ops' } },
    { source: 'published', claims: { org: 'acme' } },
    { source: 'catalogue', claims: { team: ['maps', 'ops'] } },
  ];
  const entry = { type: 'server', name: 'com.acme/notes', sources } as const;

  it('returns the source that shows an entry, those before and after it, and why', () => {
    const found = ask({ registry: main, entry }).entry;
    expect(found).to.deep.include({ shownFrom: 'published' });
    expect(found?.sentence).to.equal('Shown from source "published", which comes before "catalogue".');
    expect(found?.sources.map(({ source, allowed, because }) => [source, allowed, because])).to.deep.equal([
      ['secret', false, 'claims-missing'],
      ['published', true, 'claims'],
      ['catalogue', true, 'claims'],
    ]);
  });

  it('shows no entry of a closed registry', () => {
    const found = ask({ registry: { name: 'main', claims: { org: 'other' } }, entry }).entry;
    expect(found).to.deep.include({
      shownFrom: null,
      sentence: 'Not shown: the registry is closed to the caller.',
    });
  });

  it('explains a public registry by its public claims', () => {
    const registry = { ...main, publicClaims: { org: 'acme' } };
    const answer = ask({ caller: undefined, registry, entry });
    expect(answer.registry?.because).to.equal('public');
    expect(answer.entry?.shownFrom).to.equal('published');
    expect(answer.entry?.sources[1]?.because).to.equal('public');
  });

  describe('for the caller', () => {
    it('returns sources only to managers of registries who can see this one', () => {
      const own = (roles: Caller['roles']) =>
        ask({ caller: caller({ org: 'acme', team: 'maps' }, roles), reveal: 'own', registry: main, entry })
          .entry;
      expect(own([])).to.deep.include({ shown: true, shownFrom: null, sentence: 'Shown.' });
      expect(own([])?.sources.map(({ source }) => source)).to.deep.equal([null]);
      expect(own(['manageSources'])?.sources.map(({ source }) => source)).to.deep.equal([null]);
      expect(own(['manageRegistries'])?.shownFrom).to.equal('published');
      expect(own(['manageRegistries'])?.sources).to.have.length(2);
    });

    it('describes a hidden entry like an absent one', () => {
      const hidden = { ...entry, sources: sources.slice(0, 1) };
      const absent = { ...entry, sources: [] };
      expect(ask({ reveal: 'own', registry: main, entry: hidden })).to.deep.equal(
        ask({ reveal: 'own', registry: main, entry: absent }),
      );
    });

    it('describes no entry of a closed registry', () => {
      const closed = { name: 'main', claims: { org: 'other' } };
      expect(ask({ reveal: 'own', registry: closed, entry }).entry?.sources).to.deep.equal([]);
    });

    it('omits required values that the caller does not have', () => {
      const registry = { name: 'main', claims: { org: ['acme', 'other'], team: 'ops' } };
      expect(ask({ reveal: 'own', registry }).registry?.keys).to.deep.equal([
        { key: 'org', required: ['acme'], held: ['acme'], matches: true },
        { key: 'team', required: null, held: ['maps'], matches: false },
      ]);
    });

    it('omits rules that do not grant the caller a role', () => {
      const { roles } = ask({ reveal: 'own' });
      expect(roles.flatMap(({ role, rules }) => rules.map(({ rule }) => `${role} ${rule}`))).to.deep.equal([
        'manageEntries 0',
      ]);
    });
  });

  it('returns a document that JSON preserves', () => {
    const answer = ask({ registry: main, entry });
    expect(JSON.parse(JSON.stringify(answer))).to.deep.equal(answer);
  });
});

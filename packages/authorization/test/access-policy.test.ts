import { expect } from 'chai';
import {
  type AccessDecision,
  type AccessPolicy,
  anonymousPolicy,
  AUTH_ONLY_WARNING,
  authOnlyPolicy,
  type Because,
  choosePolicy,
  createFullPolicy,
} from '@portolan/authorization';
import { type Caller, type ClaimSet, type ResourceClaims, ROLES, type Role } from '@portolan/plugin-api';

function caller(claims: ClaimSet, ...roles: Role[]): Caller {
  return { subject: 'ann', claims, roles };
}

const ACME = { org: 'acme' };
const nobody = undefined;
const member = caller(ACME);
const stranger = caller({ org: 'other' });
const admin = caller({}, 'superAdmin');
const publisher = caller(ACME, 'manageEntries');

const full = createFullPolicy({ manageEntries: [{ org: 'acme' }] });
const POLICIES: readonly AccessPolicy[] = [full, authOnlyPolicy, anonymousPolicy];

/** What a policy decides, and why: `+` opens. */
type Row = readonly [who: string, caller: Caller | undefined, full: string, authOnly: string];

function shown({ allowed, because }: AccessDecision): string {
  return `${allowed ? '+' : '-'} ${because}`;
}

function check(
  rows: readonly Row[],
  ask: (policy: AccessPolicy, who: Caller | undefined) => AccessDecision,
): void {
  for (const [who, asker, inFull, inAuthOnly] of rows) {
    it(`decides for ${who}: ${inFull} / ${inAuthOnly} / + anonymous`, () => {
      const found = POLICIES.map((policy) => shown(ask(policy, asker)));
      expect(found).to.deep.equal([inFull, inAuthOnly, '+ anonymous']);
    });
  }
}

describe('AccessPolicy in the modes full / auth-only / anonymous', () => {
  describe('decideRead of a labelled resource', () => {
    check(
      [
        ['nobody', nobody, '- no-identity', '- no-identity'],
        ['who holds the claims', member, '+ claims', '+ auth-only'],
        ['who holds other claims', stranger, '- claims-missing', '+ auth-only'],
        ['who has a role but not the claims', caller({}, 'manageSources'), '- claims-missing', '+ auth-only'],
        ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
      ],
      (policy, who) => policy.decideRead(who, { claims: ACME }),
    );
  });

  describe('decideRead of an unlabelled resource', () => {
    check(
      [
        ['nobody', nobody, '- no-identity', '- no-identity'],
        ['who holds claims', member, '- unlabelled', '+ auth-only'],
        ['who holds none', caller({}), '- unlabelled', '+ auth-only'],
        ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
      ],
      (policy, who) => policy.decideRead(who, { claims: {} }),
    );
  });

  describe('decideLabel with claims', () => {
    check(
      [
        ['nobody', nobody, '- no-identity', '- no-identity'],
        ['who holds all of them', caller({ team: ['a', 'b', 'c'] }), '+ claims', '+ auth-only'],
        ['who holds one of them', caller({ team: ['a'] }), '- claims-missing', '+ auth-only'],
        ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
      ],
      (policy, who) => policy.decideLabel(who, { team: ['a', 'b'] }),
    );
  });

  describe('decideLabel without claims', () => {
    check(
      [
        ['nobody', nobody, '- no-identity', '- no-identity'],
        ['who holds claims', member, '- unlabelled', '+ auth-only'],
        ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
      ],
      (policy, who) => policy.decideLabel(who, {}),
    );
  });

  describe('decideLabel with an empty list', () => {
    check(
      [
        ['nobody', nobody, '- no-identity', '- no-identity'],
        [
          'a caller who holds the claims',
          caller({ org: 'acme', sub: 'ada' }),
          '- empty-list',
          '- empty-list',
        ],
        ['a superAdmin', admin, '+ super-admin', '- empty-list'],
      ],
      (policy, who) => policy.decideLabel(who, { org: 'acme', sub: [] }),
    );

    it('decideRead › needs one value of a claim with several values', () => {
      expect(full.decideRead(caller({ sub: 'ada' }), { claims: { sub: [] } }).allowed).to.equal(true);
    });
  });

  describe('decideRole', () => {
    check(
      [
        ['nobody', nobody, '- no-identity', '- no-identity'],
        ['who has the role', publisher, '+ role', '+ role'],
        ['who has another role', caller({}, 'manageSources'), '- role-missing', '- role-missing'],
        ['who has none', member, '- role-missing', '- role-missing'],
        ['a superAdmin', admin, '+ super-admin', '+ super-admin'],
      ],
      (policy, who) => policy.decideRole(who, 'manageEntries'),
    );

    it('needs one of several roles, and superAdmin when none is named', () => {
      expect(full.decideRole(publisher, 'manageSources', 'manageEntries').allowed).to.equal(true);
      expect(full.decideRole(publisher, 'manageSources', 'manageRegistries').allowed).to.equal(false);
      expect(full.decideRole(publisher).allowed).to.equal(false);
      expect(full.decideRole(admin).allowed).to.equal(true);
    });

    it('permits every role for every caller in auth-only mode', () => {
      const roles = authOnlyPolicy.grantRoles({}).map(({ role }) => role);
      expect(roles).to.have.members([...ROLES]);
      for (const role of ROLES) {
        const decision = authOnlyPolicy.decideRole(caller({}, ...roles), role);
        expect(decision.allowed, role).to.equal(true);
      }
    });
  });

  describe('decideRegistryAccess', () => {
    const gates: readonly (readonly [what: string, claims: ResourceClaims, rows: readonly Row[]])[] = [
      [
        'with claims',
        ACME,
        [
          ['nobody', nobody, '- no-identity', '- no-identity'],
          ['who holds them', member, '+ claims', '+ auth-only'],
          ['who does not', stranger, '- claims-missing', '+ auth-only'],
          ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
        ],
      ],
      [
        'without claims',
        {},
        [
          ['nobody', nobody, '- no-identity', '- no-identity'],
          ['any caller', member, '- unlabelled', '+ auth-only'],
          ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
        ],
      ],
    ];
    for (const [what, claims, rows] of gates) {
      describe(what, () => check(rows, (policy, who) => policy.decideRegistryAccess(who, { claims })));
    }
    describe('that is public', () => {
      check(
        [
          ['nobody', nobody, '+ public', '+ public'],
          ['who holds its claims', member, '+ claims', '+ auth-only'],
          ['who does not', stranger, '+ public', '+ auth-only'],
        ],
        (policy, who) => policy.decideRegistryAccess(who, { claims: ACME, publicClaims: {} }),
      );
    });
  });

  describe('decideEntry', () => {
    const registry = { claims: ACME, publicClaims: { level: 'open' } };
    const entries: readonly (readonly [what: string, claims: ResourceClaims, rows: readonly Row[]])[] = [
      [
        'which the public claims satisfy',
        { level: ['open', 'closed'] },
        [
          ['nobody', nobody, '+ public', '+ public'],
          ['who does not hold its claims', member, '+ public', '+ auth-only'],
          ['who does', caller({ level: 'closed' }), '+ claims', '+ auth-only'],
        ],
      ],
      [
        'which they do not satisfy',
        { level: 'open', org: 'acme' },
        [
          ['nobody', nobody, '- no-identity', '- no-identity'],
          ['who holds half of them', member, '- claims-missing', '+ auth-only'],
          ['who holds all of them', caller({ level: 'open', org: 'acme' }), '+ claims', '+ auth-only'],
        ],
      ],
      [
        'without claims',
        {},
        [
          ['nobody', nobody, '- no-identity', '- no-identity'],
          ['any caller', member, '- unlabelled', '+ auth-only'],
          ['a superAdmin', admin, '+ super-admin', '+ auth-only'],
        ],
      ],
    ];
    for (const [what, claims, rows] of entries) {
      describe(what, () => check(rows, (policy, who) => policy.decideEntry(who, registry, { claims })));
    }

    it('shows nothing without a token when the registry is not public', () => {
      const decision = full.decideEntry(nobody, { claims: ACME }, { claims: { level: 'open' } });
      expect(shown(decision)).to.equal('- no-identity');
    });

    it('shows nothing for empty public claims or an empty list in them', () => {
      const open = { claims: ACME, publicClaims: {} };
      expect(full.decideEntry(nobody, open, { claims: {} }).allowed).to.equal(false);
      expect(full.decideEntry(nobody, open, { claims: { team: [] } }).allowed).to.equal(false);
    });
  });

  it('requiresClaims › is false for superAdmins under full authorization and in anonymous mode', () => {
    expect(POLICIES.map((policy) => policy.requiresClaims(publisher))).to.deep.equal([true, true, false]);
    expect(POLICIES.map((policy) => policy.requiresClaims(admin))).to.deep.equal([false, true, false]);
    expect(full.requiresClaims(nobody)).to.equal(true);
  });

  it('mayRelabel › is true only for superAdmins under full authorization', () => {
    expect(POLICIES.map((policy) => policy.mayRelabel(admin))).to.deep.equal([true, false, false]);
    expect(POLICIES.map((policy) => policy.mayRelabel(publisher))).to.deep.equal([false, false, false]);
  });

  it('shows everything to superAdmins, to every caller in auth-only mode, and in anonymous mode', () => {
    const seeing = (who: Caller | undefined) => POLICIES.map((policy) => policy.seesEverything(who));
    expect(seeing(nobody)).to.deep.equal([false, false, true]);
    expect(seeing(publisher)).to.deep.equal([false, true, true]);
    expect(seeing(admin)).to.deep.equal([true, true, true]);
  });

  it('compares roles exactly, and reads them only from the caller', () => {
    const claims = { roles: ['superAdmin'], role: 'superAdmin' };
    expect(full.decideRead(caller(claims), { claims: ACME }).allowed).to.equal(false);
    // SAFETY: what a plugin written in JavaScript may hand over.
    const odd = { ...member, roles: ['SuperAdmin', 'superAdmin '] as unknown as Role[] };
    expect(full.decideRead(odd, { claims: {} }).allowed).to.equal(false);
    expect(full.decideRole(odd, 'manageEntries').allowed).to.equal(false);
  });

  it('explain › returns the decision, with every key when claims decide', () => {
    const claims = { org: 'acme', team: ['a', 'b'] };
    const asker = caller({ org: 'acme', team: ['a'] });
    expect(full.explain(asker, claims, 'any')).to.deep.equal({
      allowed: true,
      because: 'claims',
      keys: [
        { key: 'org', required: ['acme'], held: ['acme'], matches: true },
        { key: 'team', required: ['a', 'b'], held: ['a'], matches: true },
      ],
    });
    const label = full.explain(asker, claims, 'all');
    expect(label.because).to.equal('claims-missing');
    expect(label.keys.map(({ matches }) => matches)).to.deep.equal([true, false]);
    expect(full.explain(nobody, claims, 'any').keys.map(({ held }) => held)).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(full.explain(asker, {}, 'any')).to.deep.equal({ allowed: false, because: 'unlabelled', keys: [] });
    expect(authOnlyPolicy.explain(asker, claims, 'all').keys).to.deep.equal([]);
    expect(anonymousPolicy.explain(nobody, claims, 'all').allowed).to.equal(true);
  });

  it('explain › returns every possible reason at least once', () => {
    const reasons = new Set<Because>();
    const registry = { claims: ACME, publicClaims: { level: 'open' } };
    for (const policy of POLICIES)
      for (const who of [nobody, member, stranger, admin, publisher]) {
        reasons.add(policy.decideRole(who, 'manageEntries').because);
        for (const claims of [ACME, {}, { level: 'open' }])
          reasons.add(policy.decideEntry(who, registry, { claims }).because);
        reasons.add(policy.decideLabel(who, { org: [] }).because);
      }
    expect([...reasons]).to.have.members([
      'anonymous',
      'auth-only',
      'super-admin',
      'public',
      'claims',
      'claims-missing',
      'unlabelled',
      'empty-list',
      'role',
      'role-missing',
      'no-identity',
    ]);
  });
});

describe('choosePolicy', () => {
  it('chooses the anonymous policy when the provider identifies no caller, for any roles', () => {
    const authz = { roles: { superAdmin: [{ org: 'acme' }] } };
    expect(choosePolicy({ identifies: false, authz }).mode).to.equal('anonymous');
    expect(choosePolicy({ identifies: false, authz: undefined }).mode).to.equal('anonymous');
  });

  it('chooses auth-only without auth.authz, and full authorization with it, even when it is empty', () => {
    expect(choosePolicy({ identifies: true, authz: undefined }).mode).to.equal('auth-only');
    const empty = choosePolicy({ identifies: true, authz: { roles: {} } });
    expect(empty.mode).to.equal('full');
    expect(empty.grantRoles({ org: 'acme' })).to.deep.equal([]);
  });

  it('permits a publish without claims when auth.requireClaims is false, only in auth-only mode', () => {
    const authz = { roles: {} };
    const needs = (auth: Parameters<typeof choosePolicy>[0]) => choosePolicy(auth).requiresClaims(publisher);
    expect(needs({ identifies: true, authz: undefined, requireClaims: true })).to.equal(true);
    expect(needs({ identifies: true, authz: undefined, requireClaims: false })).to.equal(false);
    expect(needs({ identifies: true, authz, requireClaims: false })).to.equal(true);
  });

  it('grants the configured roles', () => {
    const policy = choosePolicy({ identifies: true, authz: { roles: { superAdmin: [{ org: 'acme' }] } } });
    expect(policy.grantRoles(ACME)).to.deep.equal([{ role: 'superAdmin', rule: 0 }]);
  });

  it('returns the exact warning of auth-only mode', () => {
    expect(AUTH_ONLY_WARNING).to.equal(
      'Authorization not configured, per-entry claims filtering disabled (auth-only mode)',
    );
  });
});

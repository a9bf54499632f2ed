import { expect } from 'chai';
import fc from 'fast-check';
import { type AccessPolicy, choosePolicy, type GatedRegistry, type RoleRules } from '@portolan/authorization';
import { type Caller, type ResourceClaims, ROLES, type Role } from '@portolan/plugin-api';
import { limitMs, trials } from '../../support/soak.ts';
import {
  properClaims,
  storedClaims,
  tokenBeside,
  tokenClaims,
} from '../../support/authorization/claims-arbitrary.ts';
import {
  entryShows,
  mayGive,
  maySee,
  type OracleCaller,
  type OracleClaims,
  type OracleMode,
  ORACLE_ROLES,
  registryGatePasses,
  resolveRoles,
  roleCheckPasses,
} from '../../support/authorization/oracle.ts';

const TRIALS = trials({ short: 2000, long: 300_000 });
const CASES = TRIALS.numRuns;

const MODES: readonly OracleMode[] = ['full', 'auth-only', 'anonymous'];

function policyOf(mode: OracleMode, roles: RoleRules = {}): AccessPolicy {
  return choosePolicy({
    identifies: mode !== 'anonymous',
    authz: mode === 'full' ? { roles } : undefined,
  });
}

/** Claims in any form that a database could contain. */
function stored(claims: OracleClaims): ResourceClaims {
  // SAFETY: none for invalid claims. The test checks that these give no access.
  return claims as ResourceClaims;
}

/** Number of comparisons with each outcome. */
class Tally {
  yes = 0;
  no = 0;

  count(outcome: boolean): void {
    if (outcome) this.yes += 1;
    else this.no += 1;
  }

  /** A comparison with almost always the same outcome proves nothing. */
  expectBoth(atLeast: number): void {
    expect(Math.min(this.yes, this.no), `yes ${this.yes}, no ${this.no}`).to.be.greaterThan(atLeast);
  }
}

const roleList = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Role[]>([]) },
  { weight: 2, arbitrary: fc.subarray(ROLES.slice(1)) },
  { weight: 1, arbitrary: fc.subarray([...ROLES]) },
);

describe('authorization rules compared with an independent implementation of the specification (property test)', () => {
  it('grant the same roles', function () {
    this.timeout(limitMs(120_000));
    const rules = fc.record(
      Object.fromEntries(
        ORACLE_ROLES.map((role) => [role, fc.array(storedClaims, { maxLength: 2 })]),
      ) as Record<Role, fc.Arbitrary<OracleClaims[]>>, // `fromEntries` does not keep the types of the names.
      { requiredKeys: [] },
    );
    const tally = new Tally();
    fc.assert(
      fc.property(rules, tokenBeside(storedClaims), (drawn, [rule, claims]) => {
        // One role has the rule for which the token was made.
        const roles = { ...drawn, manageEntries: [...(drawn.manageEntries ?? []), rule] };
        // SAFETY: as for stored claims.
        const policy = policyOf('full', roles as RoleRules);
        const granted = policy.grantRoles(claims).map(({ role }) => role);
        const expected = resolveRoles('full', claims, roles);
        tally.count(expected.includes('manageEntries'));
        expect(granted).to.deep.equal(expected);
        expect(
          policyOf('auth-only')
            .grantRoles(claims)
            .map(({ role }) => role),
        ).to.deep.equal(resolveRoles('auth-only', claims, {}));
      }),
      TRIALS,
    );
    tally.expectBoth(CASES / 10);
  });

  it('show the same resources and allow the same claims to be set', function () {
    this.timeout(limitMs(120_000));
    const seen = new Tally();
    const given = new Tally();
    let apart = 0;
    fc.assert(
      fc.property(tokenBeside(storedClaims), roleList, ([claims, held], roles) => {
        const caller: Caller = { subject: 'ann', claims: held, roles };
        const resource = { claims: stored(claims) };
        for (const mode of MODES)
          for (const who of [caller, undefined]) {
            const policy = policyOf(mode);
            const read = policy.decideRead(who, resource).allowed;
            const label = policy.decideLabel(who, resource.claims).allowed;
            expect(read, `reading, ${mode}`).to.equal(maySee(mode, who, claims));
            expect(label, `giving, ${mode}`).to.equal(mayGive(mode, who, claims));
            expect(policy.explain(who, resource.claims, 'any').allowed).to.equal(read);
            expect(policy.explain(who, resource.claims, 'all').allowed).to.equal(label);
            if (policy.seesEverything(who)) expect(read, 'sees everything').to.equal(true);
            if (mode !== 'full' || who === undefined || roles.includes('superAdmin')) continue;
            seen.count(read);
            given.count(label);
            if (read !== label) apart += 1;
          }
      }),
      TRIALS,
    );
    seen.expectBoth(CASES / 20);
    given.expectBoth(CASES / 20);
    expect(apart, 'the two matching rules part').to.be.greaterThan(CASES / 100);
  });

  it('open the same registries and show the same entries in them', function () {
    this.timeout(limitMs(120_000));
    const gates = new Tally();
    const entries = new Tally();
    const asking = fc.option(fc.record({ claims: tokenClaims, roles: roleList }), {
      nil: undefined,
      freq: 4,
    });
    const publicly = fc.oneof(fc.constant(undefined), properClaims);
    fc.assert(
      fc.property(tokenBeside(storedClaims), publicly, asking, storedClaims, (pair, open, other, gate) => {
        const [claims, held] = pair;
        const registry = { claims: gate, ...(open === undefined ? {} : { publicClaims: open }) };
        const gated: GatedRegistry = {
          claims: stored(gate),
          ...(open ? { publicClaims: stored(open) } : {}),
        };
        const callers: (OracleCaller | undefined)[] = [{ claims: held, roles: [] }, other];
        for (const mode of MODES)
          for (const who of callers) {
            // SAFETY: the random roles are from ROLES.
            const caller = who && { subject: 'ann', claims: who.claims, roles: who.roles as Role[] };
            const policy = policyOf(mode);
            const passes = policy.decideRegistryAccess(caller, gated).allowed;
            expect(passes, `gate, ${mode}`).to.equal(registryGatePasses(mode, who, registry));
            const shows = policy.decideEntry(caller, gated, { claims: stored(claims) }).allowed;
            expect(shows, `entry, ${mode}`).to.equal(entryShows(mode, who, registry, claims));
            gates.count(passes);
            entries.count(shows);
          }
      }),
      TRIALS,
    );
    gates.expectBoth(CASES / 10);
    entries.expectBoth(CASES / 10);
  });

  it('pass the same callers in role checks', () => {
    fc.assert(
      fc.property(roleList, fc.constantFrom(...ROLES), (roles, wanted) => {
        for (const mode of MODES) {
          const policy = policyOf(mode);
          // In auth-only mode, a caller has the roles that the policy grants.
          const own = mode === 'auth-only' ? [...ROLES] : roles;
          const caller: Caller = { subject: 'ann', claims: {}, roles: own };
          expect(policy.decideRole(caller, wanted).allowed).to.equal(roleCheckPasses(mode, caller, wanted));
          expect(policy.decideRole(undefined, wanted).allowed).to.equal(
            roleCheckPasses(mode, undefined, wanted),
          );
        }
      }),
      trials({ short: 1000 }),
    );
  });
});

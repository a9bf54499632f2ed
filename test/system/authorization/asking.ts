import { type AccessPolicy, choosePolicy } from '@portolan/authorization';
import type { Caller } from '@portolan/plugin-api';
import {
  type OracleCaller,
  type OracleClaims,
  type OracleMode,
  resolveRoles,
} from '../../support/authorization/oracle.ts';
import { ROOT_RULE } from './random-registry.ts';

/** Role rules of random registries: few superAdmins and some other roles. */
const ROLES = { superAdmin: [ROOT_RULE], manageEntries: [{ org: 'a' }] };

export const POLICIES: Readonly<Record<OracleMode, AccessPolicy>> = {
  full: choosePolicy({ identifies: true, authz: { roles: ROLES } }),
  'auth-only': choosePolicy({ identifies: true, authz: undefined }),
  anonymous: choosePolicy({ identifies: false, authz: undefined }),
};

/** A caller as the server makes it from the claims of a token, with the same caller for the oracle. */
export interface Asking {
  readonly mode: OracleMode;
  readonly caller: Caller | undefined;
  readonly oracle: OracleCaller | undefined;
}

/** Without claims, there is no caller, as in anonymous mode. */
export function asking(drawn: {
  readonly mode: OracleMode;
  readonly claims: OracleClaims | undefined;
}): Asking {
  const { mode, claims } = drawn;
  if (claims === undefined || mode === 'anonymous') return { mode, caller: undefined, oracle: undefined };
  const roles = POLICIES[mode].grantRoles(claims).map(({ role }) => role);
  return {
    mode,
    caller: { subject: 'ann', claims, roles },
    oracle: { claims, roles: resolveRoles(mode, claims, ROLES) },
  };
}

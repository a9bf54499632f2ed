import { isLoopbackHost, isTenantless } from '@portolan/outbound';
import type { KindProblem } from '@portolan/plugin-api';

type UrlFault = Omit<KindProblem, 'place'>;

// Messages about addresses never show a user, password, path or query.

/**
 * Returns the fault of an address. Requires https, because keys and tokens are sent to it. Accepts http for
 * loopback hosts, and with `allowInsecure`.
 */
export function findUrlFault(text: string, allowInsecure: boolean): UrlFault | undefined {
  if (!URL.canParse(text)) return { found: 'no absolute address', expected: 'an https address' };
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') {
    return { found: 'an address with a user or password', expected: 'an https address without them' };
  }
  if (protocol === 'https:') return undefined;
  if (protocol !== 'http:') {
    return { found: `an address that begins with ${protocol}`, expected: 'an https address' };
  }
  if (allowInsecure || isLoopbackHost(hostname)) return undefined;
  return {
    found: `an http address of ${hostname}`,
    expected: 'an https address; http is for the hosts localhost, 127.0.0.1 and ::1',
  };
}

/** Returns the end of a sentence whose subject is the address. */
export function findUrlProblem(text: string, allowInsecure: boolean): string | undefined {
  const fault = findUrlFault(text, allowInsecure);
  return fault === undefined ? undefined : `is ${fault.found}; expected ${fault.expected}`;
}

export const ONE_TENANT =
  'the address of one tenant; name the tenant: https://login.microsoftonline.com/TENANT-ID/v2.0';

/** Returns the fault of an issuer. An issuer must also have no query and no fragment, and name one tenant. */
export function findIssuerFault(text: string, allowInsecure: boolean): UrlFault | undefined {
  const fault = findUrlFault(text, allowInsecure);
  if (fault !== undefined) return fault;
  if (/[?#]/.test(text)) {
    return { found: 'an address with a query or a fragment', expected: 'an address without them' };
  }
  if (!isTenantless(text)) return undefined;
  return {
    found: 'an address for any tenant, which no token names as its issuer',
    expected: ONE_TENANT,
  };
}

export function findResourceFault(text: string): UrlFault | undefined {
  const expected = 'an https or http address with a host and a path only';
  if (!URL.canParse(text)) return { found: 'no absolute address', expected };
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') {
    return { found: `an address that begins with ${protocol}`, expected };
  }
  if (username !== '' || password !== '') return { found: 'an address with a user or password', expected };
  return /[?#]/.test(text) ? { found: 'an address with a query or a fragment', expected } : undefined;
}

/** Removes one slash at the end, for comparison. */
export function trimIssuer(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

import type { ClaimSet } from '@portolan/plugin-api';

/** JSON pointers (RFC 6901) into the token, by claim name. */
export type ClaimMapping = Readonly<Record<string, string>>;

/** Claims whose single string contains several values (RFC 8693, section 4.2; RFC 9068, section 2.2.3). */
const SPACE_SEPARATED = ['scope', 'scp'];

/**
 * Returns the claims of a token as rules see them. A mapped claim replaces one of the same name; a pointer
 * that leads to nothing removes it. `scope` and `scp` become lists. All pointers are resolved in the original
 * token and follow own properties only. Never throws.
 */
export function mapClaims(token: ClaimSet, mapping: ClaimMapping): ClaimSet {
  const claims = new Map(Object.entries(token));
  for (const [name, pointer] of Object.entries(mapping)) {
    const value = valueAt(token, pointer);
    if (value === undefined) claims.delete(name);
    else claims.set(name, value);
  }
  for (const name of SPACE_SEPARATED) {
    const value = claims.get(name);
    if (typeof value === 'string')
      claims.set(
        name,
        value.split(' ').filter((part) => part !== ''),
      );
  }
  // Assignment would set the prototype for a claim named `__proto__`.
  return Object.fromEntries(claims);
}

/**
 * Returns the value to which a JSON pointer leads. Undefined when there is none or the pointer is malformed.
 */
function valueAt(document: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

import type { ClaimSet } from '@portolan/plugin-api';

/** Maps the name of a claim to the JSON pointer (RFC 6901) of its value in the token. */
export type ClaimMapping = Readonly<Record<string, string>>;

/** Claims that hold several values in one string (RFC 8693, section 4.2; RFC 9068, section 2.2.3). */
const SPACE_SEPARATED = ['scope', 'scp'];

/**
 * Returns the claims of a token as rules see them. Each mapped claim is read from its pointer and replaces a
 * claim of the same name; a pointer that leads to nothing removes it. `scope` and `scp` become lists. All
 * pointers are resolved in the original token, never in the result of another mapping, and follow own
 * properties only. Never throws.
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

/** Returns the value at a JSON pointer. Undefined when nothing is there or the pointer is malformed. */
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

import type { ClaimSet } from '@portolan/plugin-api';

/** Name of a claim to the JSON pointer (RFC 6901) of its value in the token. */
export type ClaimMapping = Readonly<Record<string, string>>;

/** Claims that hold several values in one text (RFC 8693 section 4.2, RFC 9068 section 2.2.3). */
const SPACE_SEPARATED = ['scope', 'scp'];

/**
 * A token's claims as rules see them: each mapped claim is taken from its place
 * in the token, in place of what stood under its name, and is absent where the
 * place is empty; `scope` and `scp` become lists. All else stays as it came, and
 * places are looked up in the token as it came, never in what another mapping
 * has put there. Only own properties are followed. Never throws.
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
  // Not by assignment: a claim may be called `__proto__`.
  return Object.fromEntries(claims);
}

/** What a JSON pointer leads to; undefined where that is nothing, as for a text that is no pointer. */
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

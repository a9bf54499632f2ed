import { isJsonObject, ENTRY_TYPES, ROLES } from '@portolan/plugin-api';

/** Returns what is wrong with the result of a tap, as the end of a sentence. Undefined for a valid result. */
export type FaultOf = (result: unknown, input: unknown) => string | undefined;

export const faultOfRoles: FaultOf = (result) => {
  if (!Array.isArray(result)) return `it answered with ${nounOf(result)}; it has to return the list of roles`;
  const unknown = result.find((role: unknown) => !(ROLES as readonly unknown[]).includes(role));
  return unknown === undefined && !result.includes(undefined)
    ? undefined
    : `it answered with something that is no role; the roles are ${ROLES.join(', ')}`;
};

/** Checks that the filtered list is a subset of the input in the same order. Paging depends on that order. */
export const faultOfFilter: FaultOf = (result, input) => {
  if (!Array.isArray(result))
    return `it answered with ${nounOf(result)}; a filter has to return the entries it keeps`;
  const before: readonly unknown[] = Array.isArray(input) ? input : [];
  let at = 0;
  for (const entry of result) {
    at = before.indexOf(entry, at) + 1;
    if (at === 0) return 'a filter may only remove entries: it may not add, change, repeat or reorder them';
  }
  return undefined;
};

export const faultOfPublishRequest: FaultOf = (result) => {
  if (!isJsonObject(result)) return `it answered with ${nounOf(result)}; it has to return the request`;
  const { type, document, claims, source } = result;
  if (!(ENTRY_TYPES as readonly unknown[]).includes(type))
    return 'the type in its answer is no type of entry';
  if (!isJsonObject(document)) return 'the document in its answer is no map';
  if (claims !== undefined && !isClaims(claims)) return 'the claims in its answer are no claims';
  if (source !== undefined && typeof source !== 'string') return 'the source in its answer is no name';
  return undefined;
};

function nounOf(result: unknown): string {
  if (result === undefined) return 'nothing';
  return isJsonObject(result) ? 'a map' : `something of type ${typeof result}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isClaims(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.values(value).every((claim) => isText(claim) || (Array.isArray(claim) && claim.every(isText)))
  );
}

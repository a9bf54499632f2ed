import { isJsonObject, ENTRY_TYPES, ROLES } from '@portolan/plugin-api';

/** Returns what is wrong with the result of a tap, as the end of a sentence. Undefined for a valid result. */
export type FaultOf = (answer: unknown, given: unknown) => string | undefined;

export const faultOfRoles: FaultOf = (answer) => {
  if (!Array.isArray(answer)) return `it answered with ${nounOf(answer)}; it has to return the list of roles`;
  const unknown = answer.find((role: unknown) => !(ROLES as readonly unknown[]).includes(role));
  return unknown === undefined && !answer.includes(undefined)
    ? undefined
    : `it answered with something that is no role; the roles are ${ROLES.join(', ')}`;
};

/** Checks that the filtered list is a subset of the input in the same order. Paging depends on that order. */
export const faultOfFilter: FaultOf = (answer, given) => {
  if (!Array.isArray(answer))
    return `it answered with ${nounOf(answer)}; a filter has to return the entries it keeps`;
  const before: readonly unknown[] = Array.isArray(given) ? given : [];
  let at = 0;
  for (const entry of answer) {
    at = before.indexOf(entry, at) + 1;
    if (at === 0) return 'a filter may only remove entries: it may not add, change, repeat or reorder them';
  }
  return undefined;
};

export const faultOfPublishRequest: FaultOf = (answer) => {
  if (!isJsonObject(answer)) return `it answered with ${nounOf(answer)}; it has to return the request`;
  const { type, document, claims, source } = answer;
  if (!(ENTRY_TYPES as readonly unknown[]).includes(type))
    return 'the type in its answer is no type of entry';
  if (!isJsonObject(document)) return 'the document in its answer is no map';
  if (claims !== undefined && !isClaims(claims)) return 'the claims in its answer are no claims';
  if (source !== undefined && typeof source !== 'string') return 'the source in its answer is no name';
  return undefined;
};

function nounOf(answer: unknown): string {
  if (answer === undefined) return 'nothing';
  return isJsonObject(answer) ? 'a map' : `something of type ${typeof answer}`;
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

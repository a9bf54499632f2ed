import { type JsonRecord, isJsonObject, memberOf, type ResponseMessage } from '../message/message.ts';
import { isModern } from './revisions.ts';

const UNSUPPORTED_VERSION = -32022;

/** Returns the supported revisions that an error response lists; undefined for an error with another code. */
export function revisionsOfRefusal({ errorCode, text }: ResponseMessage): readonly string[] | undefined {
  if (errorCode !== UNSUPPORTED_VERSION) return undefined;
  // SAFETY: the text has been parsed before, and its error is an object.
  const { error } = JSON.parse(text) as { readonly error: JsonRecord };
  const data = memberOf(error, 'data');
  return stringsIn(isJsonObject(data) ? memberOf(data, 'supported') : undefined);
}

export function namesModernRevision(response: ResponseMessage): boolean {
  return response.isError && revisionsOfRefusal(response)?.some(isModern) === true;
}

export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

import { findHeaderFault } from '@portolan/outbound';
import { badEnvironmentVariable, badForwardedHeader, badLabel, reservedLabel } from './parse-errors.ts';
import { hasControlCharacters } from './text-faults.ts';

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** Prefix of labels that users may not set. */
export const LABEL_PREFIX = 'portolan.dev/';

const ENVIRONMENT_NAME = /^[^\s="'$`\\]+$/u;

/** Splits a text at the first `=`. Throws the error of `missing` for a text without `=`. */
export function parsePair(text: string, missing: () => Error): KeyValue {
  const at = text.indexOf('=');
  if (at === -1) throw missing();
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

/** Parses `KEY=VALUE`. Throws ERR_SETTING, which does not quote the value. */
export function parseEnvironmentVariable(text: string, place: string): KeyValue {
  return checkEnvironmentVariable(
    parsePair(text, () => badEnvironmentVariable(place, undefined, 'there is no "=" in it')),
    place,
  );
}

/** Accepts an empty value, and any character except NUL. Throws ERR_SETTING. */
export function checkEnvironmentVariable({ key, value }: KeyValue, place: string): KeyValue {
  if (key === '') throw badEnvironmentVariable(place, key, 'there is no name before the "="');
  if (!ENVIRONMENT_NAME.test(key) || hasControlCharacters(key)) {
    throw badEnvironmentVariable(
      place,
      key,
      'the name holds white space, quotes or other special characters',
    );
  }
  if (value.includes('\0')) throw badEnvironmentVariable(place, key, 'the value holds a NUL character');
  return { key, value };
}

const MAX_LABEL_KEY_LENGTH = 317;

export function parseLabel(text: string, place: string): KeyValue {
  return checkLabel(
    parsePair(text, () => badLabel(place, text, 'there is no "=" in it')),
    place,
  );
}

/**
 * Checks a label. Engines accept any value, and any key without white space. Throws ERR_LABEL, and throws
 * ERR_SETTING for reserved keys: those below `portolan.dev/` and those of another tool.
 */
export function checkLabel({ key, value }: KeyValue, place: string): KeyValue {
  if (isReservedLabel(key)) throw reservedLabel(place, key, LABEL_PREFIX);
  if (isForeignLabel(key)) throw reservedLabel(place, key, FOREIGN_PREFIX);
  const text = `${key}=${value}`;
  if (key === '') throw badLabel(place, text, 'there is no key before the "="');
  if (/[\s=]/u.test(key) || hasControlCharacters(key) || key.length > MAX_LABEL_KEY_LENGTH) {
    throw badLabel(place, text, `the key has white space, or more than ${MAX_LABEL_KEY_LENGTH} characters`);
  }
  if (value.includes('\0')) throw badLabel(place, text, 'the value holds a NUL character');
  return { key, value };
}

/** Returns whether a label has the prefix that users may not set. */
export function isReservedLabel(key: string): boolean {
  return key.toLowerCase().startsWith(LABEL_PREFIX);
}

/**
 * Returns whether a label belongs to another tool, which would treat the container as its own and remove it.
 */
export function isForeignLabel(key: string): boolean {
  return key.toLowerCase().startsWith(FOREIGN_PREFIX);
}

const FOREIGN_PREFIX = 'toolhive';

/** Parses `Name=Value` of a header. Throws ERR_SETTING, which does not quote the value. */
export function parseForwardedHeader(text: string, place: string): KeyValue {
  return checkForwardedHeader(
    parsePair(text, () => badForwardedHeader(place, 'there is no "=" in it')),
    place,
  );
}

export function parseForwardedHeaderSecret(text: string, place: string): KeyValue {
  return checkForwardedHeaderSecret(parseForwardedHeader(text, place), place);
}

export function checkForwardedHeaderSecret(header: KeyValue, place: string): KeyValue {
  const { key, value } = checkForwardedHeader(header, place);
  if (!value.includes(',')) return header;
  throw badForwardedHeader(place, `the secret's name behind "${key}=" has a comma`);
}

/** Checks a header and its name (RFC 9110, section 5.6.2). Throws ERR_SETTING. */
export function checkForwardedHeader({ key, value }: KeyValue, place: string): KeyValue {
  const fault = findHeaderFault(key, value);
  if (fault === undefined) return { key, value };
  const { part, because } = fault;
  if (part === 'name') throw badForwardedHeader(place, `what stands before the "=" ${because}`);
  const header = `header "${key}"`;
  throw badForwardedHeader(place, `${part === 'value' ? `the value of ${header}` : header} ${because}`);
}

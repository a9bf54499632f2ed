import { findHeaderFault } from '@portolan/outbound';
import { badEnvironmentVariable, badForwardedHeader, badLabel, reservedLabel } from './parse-errors.ts';
import { hasControlCharacters } from './text-faults.ts';

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** Labels below this prefix are ours to set. */
export const LABEL_PREFIX = 'portolan.dev/';

const ENVIRONMENT_NAME = /^[^\s="'$`\\]+$/u;

/**
 * `KEY=VALUE` split at its first `=`; the value may be empty and hold anything
 * but NUL. Throws ERR_ENVIRONMENT_VARIABLE. The value stands in no message.
 */
export function parseEnvironmentVariable(text: string, place: string): KeyValue {
  const at = text.indexOf('=');
  if (at === -1) throw badEnvironmentVariable(place, undefined, 'there is no "=" in it');
  const key = text.slice(0, at);
  if (key === '') throw badEnvironmentVariable(place, key, 'there is no name before the "="');
  if (!ENVIRONMENT_NAME.test(key) || hasControlCharacters(key)) {
    throw badEnvironmentVariable(
      place,
      key,
      'the name holds white space, quotes or other special characters',
    );
  }
  const value = text.slice(at + 1);
  if (value.includes('\0')) throw badEnvironmentVariable(place, key, 'the value holds a NUL character');
  return { key, value };
}

const LABEL_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LABEL_SCOPE = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * `key=value` by the rules of Kubernetes labels: a name of at most 63
 * characters, perhaps behind a DNS name and a slash; a value that is empty or
 * looks like such a name. Throws ERR_LABEL, and ERR_LABEL_RESERVED for keys
 * below `portolan.dev/`, and those of another tool.
 */
export function parseLabel(text: string, place: string): KeyValue {
  const at = text.indexOf('=');
  if (at === -1) throw badLabel(place, text, 'there is no "=" in it');
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (isReservedLabel(key)) throw reservedLabel(place, key, LABEL_PREFIX);
  if (isForeignLabel(key)) throw reservedLabel(place, key, FOREIGN_PREFIX);
  const slash = key.lastIndexOf('/');
  const [scope, name] = slash === -1 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  if (!LABEL_NAME.test(name)) throw badLabel(place, text, 'the key is no label name');
  if (scope !== undefined && !LABEL_SCOPE.test(scope)) {
    throw badLabel(place, text, 'what stands before the "/" is no DNS name');
  }
  if (value !== '' && !LABEL_NAME.test(value)) throw badLabel(place, text, 'the value is no label value');
  return { key, value };
}

/** Whether only Portolan itself sets a label of this name. */
export function isReservedLabel(key: string): boolean {
  return key.toLowerCase().startsWith(LABEL_PREFIX);
}

/** Whether another tool that may be on the same engine takes a container with this label for its own, and removes it. */
export function isForeignLabel(key: string): boolean {
  return key.toLowerCase().startsWith(FOREIGN_PREFIX);
}

const FOREIGN_PREFIX = 'toolhive';

/**
 * `Name=Value` split at its first `=`: a header that is sent to a remote server
 * (RFC 9110, section 5.6.2 for the name). Throws ERR_FORWARDED_HEADER; the
 * value stands in no message.
 */
export function parseForwardedHeader(text: string, place: string): KeyValue {
  const at = text.indexOf('=');
  if (at === -1) throw badForwardedHeader(place, 'there is no "=" in it');
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  checkForwardedHeader(key, value, place);
  return { key, value };
}

/** `Name=secret-name`, by the same rules. */
export function parseForwardedHeaderSecret(text: string, place: string): KeyValue {
  const header = parseForwardedHeader(text, place);
  if (header.value.includes(',')) {
    throw badForwardedHeader(place, `the secret's name behind "${header.key}=" has a comma`);
  }
  return header;
}

/** Throws ERR_FORWARDED_HEADER when the header may not be sent, or cannot. */
export function checkForwardedHeader(name: string, value: string, place: string): void {
  const fault = findHeaderFault(name, value);
  if (fault === undefined) return;
  const { part, because } = fault;
  if (part === 'name') throw badForwardedHeader(place, `what stands before the "=" ${because}`);
  const header = `header "${name}"`;
  throw badForwardedHeader(place, `${part === 'value' ? `the value of ${header}` : header} ${because}`);
}

import { memberOf } from '@portolan/plugin-api';
export { isJsonObject, memberOf } from '@portolan/plugin-api';

const MAX_QUOTED = 80;

export function textOf(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : undefined;
}

export function listOf(value: unknown, key: string): readonly unknown[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member : [];
}

/** Returns the type of a value with an article: `null`, `a string`, `an array`. */
export function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Formats a value for messages: quoted strings of up to 80 characters; objects and arrays by type only. */
export function quote(value: unknown): string {
  if (typeof value === 'string') {
    const start = value.slice(0, MAX_QUOTED).toWellFormed();
    return JSON.stringify(start.length < value.length ? `${start}…` : start);
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return nameOfType(value);
}

/** Returns the JSON pointer (RFC 6901) of a member: `/a~1b` for the member `a/b` of the root. */
export function pointerTo(at: string, name: string | number): string {
  return `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the names in a JSON pointer (RFC 6901), from the root: `a/b` and `0` of `/a~1b/0`. */
export function namesInPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns a path in the form of messages: `packages[0].transport`, `_meta["a/b"]`. */
export function pathOfMember(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_$][\w$-]*$/.test(key) || key.length > MAX_QUOTED) return `${path}[${quote(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

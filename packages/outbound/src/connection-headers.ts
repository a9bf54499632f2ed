/** Hop-by-hop headers (RFC 9110, section 7.6.1), including the upgrade from HTTP/1 to HTTP/2. */
export const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** Headers of the connection itself, and those that identify a request's origin. */
const RESTRICTED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'host',
  'content-length',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MAX_NAME_BYTES = 256;
const MAX_VALUE_BYTES = 8192;

export interface HeaderFault {
  /** `restricted`: the connection sets the header itself. */
  readonly part: 'name' | 'restricted' | 'value';
  readonly because: string;
}

/** Returns why a user's header cannot be added to requests (name: RFC 9110, section 5.6.2). */
export function findHeaderFault(name: string, value: string): HeaderFault | undefined {
  if (!TOKEN.test(name)) return { part: 'name', because: 'is not the name of a header' };
  if (name.length > MAX_NAME_BYTES)
    return { part: 'name', because: `is longer than ${MAX_NAME_BYTES} bytes` };
  if (RESTRICTED.has(name.toLowerCase()))
    return { part: 'restricted', because: 'is restricted and cannot be configured for forwarding' };
  const because = findValueFault(value);
  return because === undefined ? undefined : { part: 'value', because };
}

function findValueFault(value: string): string | undefined {
  if (value.trim() === '') return 'is empty';
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `is longer than ${MAX_VALUE_BYTES} bytes`;
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return 'has control characters';
  // oxlint-disable-next-line no-control-regex -- as Node, which writes headers as Latin-1
  if (/[^\u0000-\u00ff]/.test(value)) return 'has characters that are not allowed in headers';
  return undefined;
}

import type { ForwardedHeader } from '@portolan/plugin-api';
import { forwardedHeaderInvalid, forwardedHeaderRestricted } from './errors.ts';

/** Headers of the connection itself, and those by which servers tell where a request came from. */
const RESTRICTED = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'proxy-authorization',
  'proxy-authenticate',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MOST_NAME_BYTES = 256;
const MOST_VALUE_BYTES = 8192;

/** Throws ERR_FORWARDED_HEADER_INVALID and ERR_FORWARDED_HEADER_RESTRICTED; the value is in neither. */
export function checkForwardedHeader({ name, value }: ForwardedHeader): void {
  if (RESTRICTED.has(name.toLowerCase())) throw forwardedHeaderRestricted(name);
  const fault = findFault(name, value);
  if (fault !== undefined) throw forwardedHeaderInvalid(name, fault);
}

function findFault(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return 'its name is not the name of a header';
  if (name.length > MOST_NAME_BYTES) return `its name is longer than ${MOST_NAME_BYTES} bytes`;
  if (value === '') return 'its value is empty';
  if (Buffer.byteLength(value) > MOST_VALUE_BYTES)
    return `its value is longer than ${MOST_VALUE_BYTES} bytes`;
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  if (/[\u0000-\u001f\u007f]/.test(value)) return 'its value has control characters';
  // oxlint-disable-next-line no-control-regex -- as Node, which writes headers as Latin-1
  if (/[^\u0000-\u00ff]/.test(value)) return 'its value has characters that headers cannot hold';
  return undefined;
}

import { type JsonRecord, memberOf } from '../message/message.ts';

const MAX_BYTES = 4096;

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const SOURCES: ReadonlyMap<string, { readonly member: string; readonly required: boolean }> = new Map([
  ['tools/call', { member: 'name', required: true }],
  ['prompts/get', { member: 'name', required: true }],
  ['resources/read', { member: 'uri', required: true }],
  ['tasks/get', { member: 'taskId', required: true }],
  ['tasks/update', { member: 'taskId', required: true }],
  ['tasks/cancel', { member: 'taskId', required: true }],
]);

/** Returns the mismatch between `Mcp-Name` and the body of a Modern request. */
export function findNameFault(
  header: string | undefined,
  method: string,
  params: JsonRecord | undefined,
): string | undefined {
  const source = SOURCES.get(method);
  if (source === undefined) return undefined;
  if (header === undefined) return source.required ? `${method} needs the header Mcp-Name` : undefined;
  const name = decodeFieldValue(header);
  if (name === undefined) return 'Mcp-Name is not valid base64 of UTF-8';
  if (Buffer.byteLength(name) > MAX_BYTES) return `Mcp-Name is longer than ${MAX_BYTES} bytes`;
  if (name !== memberOf(params, source.member)) return `Mcp-Name differs from "params.${source.member}"`;
  return undefined;
}

export function mirroredName(method: string, params: JsonRecord | undefined): string | undefined {
  const source = SOURCES.get(method);
  const name = source === undefined ? undefined : memberOf(params, source.member);
  return typeof name === 'string' ? name : undefined;
}

/** Uses the base64 form for a text that is not printable ASCII or looks like that form. */
export function encodeFieldValue(text: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !ENCODED.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Decodes the base64 form as well. Undefined for invalid UTF-8. */
export function decodeFieldValue(value: string): string | undefined {
  const [, encoded] = ENCODED.exec(value) ?? [];
  if (encoded === undefined) return value;
  if (!BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

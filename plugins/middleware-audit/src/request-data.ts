import { looksSecret, MASKED, maskText } from './mask-text.ts';

export const MASKED_CLAIM = '[claim]';

/** Maximum nesting depth of recorded data, deeper than any document that the registry accepts. */
const MAX_DEPTH = 64;

export interface RequestDataOptions {
  readonly includeClaimValues: boolean;
  /** Maximum size in UTF-8 bytes. */
  readonly maxDataSize: number;
}

/**
 * Returns masked JSON, or its text truncated to the maximum size. Omits a body that is not JSON, because its
 * secrets cannot be identified.
 */
export function describeRequestData(body: Uint8Array, options: RequestDataOptions): unknown {
  const parsed = parseJson(body);
  if (parsed === undefined) return `[${body.byteLength} bytes that are not JSON]`;
  const shown: Shown = { claims: options.includeClaimValues, left: options.maxDataSize };
  const masked = maskValue(parsed.value, shown, 0);
  const text = JSON.stringify(masked);
  const bytes = Buffer.from(text);
  return bytes.length <= options.maxDataSize ? masked : cutBytes(bytes, options.maxDataSize);
}

function parseJson(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return undefined; // the body is not UTF-8 or not JSON, so it is omitted
  }
}

/** Truncates a text to a number of bytes without splitting a character. */
function cutBytes(bytes: Buffer, most: number): string {
  let end = most;
  // UTF-8 continuation bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return bytes.toString('utf8', 0, end);
}

interface Shown {
  readonly claims: boolean;
  /** Masking text beyond these bytes would be wasted work. */
  left: number;
}

function maskValue(value: unknown, shown: Shown, depth: number): unknown {
  if (typeof value === 'string') return maskString(value, shown, depth);
  shown.left -= 1;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return maskList(value, shown, depth);
  return maskMap(Object.entries(value), shown, depth);
}

/** Masks a string, which may itself contain JSON, such as the `data` of a file source. */
function maskString(text: string, shown: Shown, depth: number): string {
  if (depth < MAX_DEPTH && /^\s*[[{]/.test(text)) {
    const parsed = parseJson(Buffer.from(text));
    if (parsed !== undefined) return JSON.stringify(maskValue(parsed.value, shown, depth + 1));
  }
  const masked = maskText(text);
  shown.left -= masked.length + 2;
  return masked;
}

/** Masks a list. The item after `--password` is a secret. */
function maskList(list: readonly unknown[], shown: Shown, depth: number): unknown[] {
  const masked: unknown[] = [];
  for (const [index, item] of list.entries()) {
    if (shown.left < 0) break;
    const before: unknown = list[index - 1];
    const isValue = typeof before === 'string' && /^--?[\w-]+$/.test(before) && looksSecret(before);
    shown.left -= 1;
    masked.push(isValue ? maskAll(item, MASKED) : maskValue(item, shown, depth + 1));
  }
  return masked;
}

/** In `{ "name": "API_KEY", "value": "…" }`, the name determines whether the value is secret. */
const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'values', 'default', 'choices', 'placeholder']);
const NAME_KEYS: ReadonlySet<string> = new Set(['name', 'key', 'header', 'variable']);

function maskMap(entries: readonly [string, unknown][], shown: Shown, depth: number): unknown {
  const holdsSecret = entries.some(
    ([key, value]) =>
      (key === 'isSecret' && value === true) ||
      (NAME_KEYS.has(key) && typeof value === 'string' && looksSecret(value)),
  );
  const masked: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (shown.left < 0) break;
    // The client chose the key too, so mask it as well.
    const name = maskText(key);
    shown.left -= name.length + 3;
    masked.push([name, maskMember(key, value, holdsSecret, shown, depth)]);
  }
  // Defines own properties, so that `__proto__` is an ordinary key.
  return Object.fromEntries(masked);
}

function maskMember(key: string, value: unknown, isOfSecret: boolean, shown: Shown, depth: number): unknown {
  if (looksSecret(key) || (isOfSecret && VALUE_KEYS.has(key))) return maskAll(value, MASKED);
  return !shown.claims && /claims?$/i.test(key) ? maskClaims(value) : maskValue(value, shown, depth + 1);
}

/** Masks every string and number. Booleans and null are not secrets. */
function maskAll(value: unknown, by: string): unknown {
  return typeof value === 'boolean' || value === null ? value : by;
}

/** Masks the values of claims and keeps their names. */
function maskClaims(claims: unknown): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    return claims === null ? null : MASKED_CLAIM;
  }
  return Object.fromEntries(Object.keys(claims).map((name) => [name, MASKED_CLAIM]));
}

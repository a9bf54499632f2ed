import { looksSecret, MASKED, maskText } from './mask-text.ts';

/** What stands where the value of a claim was masked. */
export const MASKED_CLAIM = '[claim]';

/** Deeper values are left out; no document that the registry accepts comes near. */
const MAX_DEPTH = 64;

export interface RequestDataOptions {
  readonly includeClaimValues: boolean;
  /** In bytes of UTF-8. */
  readonly maxDataSize: number;
}

/**
 * A body as it may be shown in the log: the JSON value with secrets and, unless
 * asked for, values of claims masked; its text, cut at a character, when that is
 * larger than allowed. A body that is no JSON is not shown, since nothing tells
 * what in it is secret.
 */
export function describeRequestData(body: Uint8Array, options: RequestDataOptions): unknown {
  const parsed = parseJson(body);
  if (parsed === undefined) return `[${body.byteLength} bytes that are no JSON]`;
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
    return undefined; // no UTF-8, or no JSON: both are "not to be shown"
  }
}

/** The longest beginning of whole characters that is not larger than so many bytes. */
function cutBytes(bytes: Buffer, most: number): string {
  let end = most;
  // Bytes that begin with the bits 10 continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** What is shown of a value, from its beginning on. */
interface Shown {
  readonly claims: boolean;
  /** Bytes that still fit, at most. What stands behind them would be masked only to be cut off, at great length. */
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

/** A catalogue inside a text, such as the `data` of a file source, is masked as JSON. */
function maskString(text: string, shown: Shown, depth: number): string {
  if (depth < MAX_DEPTH && /^\s*[[{]/.test(text)) {
    const parsed = parseJson(Buffer.from(text));
    if (parsed !== undefined) return JSON.stringify(maskValue(parsed.value, shown, depth + 1));
  }
  const masked = maskText(text);
  shown.left -= masked.length + 2;
  return masked;
}

/** The word after `--password` is one. */
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

/** In `{ "name": "API_KEY", "value": "…" }` it is the name that tells what the value is. */
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
    // A key is a text that the sender has chosen as well.
    const name = maskText(key);
    shown.left -= name.length + 3;
    masked.push([name, maskMember(key, value, holdsSecret, shown, depth)]);
  }
  // Made as own properties, `__proto__` too.
  return Object.fromEntries(masked);
}

function maskMember(key: string, value: unknown, isOfSecret: boolean, shown: Shown, depth: number): unknown {
  if (looksSecret(key) || (isOfSecret && VALUE_KEYS.has(key))) return maskAll(value, MASKED);
  return !shown.claims && /claims?$/i.test(key) ? maskClaims(value) : maskValue(value, shown, depth + 1);
}

/** Yes, no and nothing are no secrets. */
function maskAll(value: unknown, by: string): unknown {
  return typeof value === 'boolean' || value === null ? value : by;
}

/** Names stay, values go. */
function maskClaims(claims: unknown): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    return claims === null ? null : MASKED_CLAIM;
  }
  return Object.fromEntries(Object.keys(claims).map((name) => [name, MASKED_CLAIM]));
}

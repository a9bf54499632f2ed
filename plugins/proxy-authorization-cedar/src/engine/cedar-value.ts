import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';

/** Maximum nesting of claim values; deeper ones are left out. */
const MAX_LEVELS = 10;

/** Keys that Cedar's JSON format reserves for escapes. */
const ESCAPES: readonly string[] = ['__entity', '__extn', '__expr'];

/** Number of digits after the point of a Cedar decimal, and its upper bound in units of the last digit. */
const FRACTION = 4;
const MAX_UNITS = 2n ** 63n;

/**
 * Converts numbers to decimals, lists to sets, and maps to records. Returns undefined for null, numbers out
 * of range, invalid Unicode, and values nested too deep.
 */
export function toCedarValue(value: unknown, level = 0): CedarValueJson | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return toDecimal(value);
  if (typeof value !== 'object' || value === null || level >= MAX_LEVELS) return undefined;
  if (Array.isArray(value)) {
    return value.map((item: unknown) => toCedarValue(item, level + 1)).filter((item) => item !== undefined);
  }
  const members = Object.entries(value).flatMap(([name, inner]): [string, CedarValueJson][] => {
    const seen = ESCAPES.includes(name) || !name.isWellFormed() ? undefined : toCedarValue(inner, level + 1);
    return seen === undefined ? [] : [[name, seen]];
  });
  // Defines own properties, so that `__proto__` is an ordinary key.
  return Object.fromEntries(members);
}

/**
 * Converts a number to a Cedar decimal, whole numbers too, as ToolHive does. Truncates after four digits;
 * undefined if out of range.
 */
export function toDecimal(value: number): CedarValueJson | undefined {
  const written = writeDecimal(value);
  return written === undefined ? undefined : { __extn: { fn: 'decimal', arg: written } };
}

export function writeDecimal(value: number): string | undefined {
  // A positive exponent means that the number is out of range.
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(value)) ?? [];
  if (whole === '') return undefined;
  const zeros = Number(exponent);
  const digits = `${'0'.repeat(zeros)}${whole}${fraction}${'0'.repeat(FRACTION)}`;
  const units = BigInt(digits.slice(0, whole.length + FRACTION));
  if (sign === '' ? units >= MAX_UNITS : units > MAX_UNITS) return undefined;
  const text = units.toString().padStart(FRACTION + 1, '0');
  return `${units === 0n ? '' : sign}${text.slice(0, -FRACTION)}.${text.slice(-FRACTION)}`;
}

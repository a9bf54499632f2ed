import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';

/** Deeper values of claims are left out. */
const MAX_LEVELS = 10;

/** Names that Cedar's JSON reads as something other than a member of a record. */
const ESCAPES: readonly string[] = ['__entity', '__extn', '__expr'];

/** A Cedar decimal has so many digits after the point, and fewer units than this. */
const FRACTION = 4;
const MAX_UNITS = 2n ** 63n;

/**
 * A value of a token as policies see it: numbers are decimals, lists sets, maps
 * records. Undefined for what policies do not see: null, numbers out of range,
 * texts that are no Unicode, and levels that are too deep.
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
  // Made as own properties, `__proto__` too.
  return Object.fromEntries(members);
}

/**
 * All numbers are decimals, whole ones too, as in the reference, which decodes
 * JSON as floating point. What has more than four digits after the point is cut;
 * undefined for a number that no decimal can hold.
 */
export function toDecimal(value: number): CedarValueJson | undefined {
  const written = writeDecimal(value);
  return written === undefined ? undefined : { __extn: { fn: 'decimal', arg: written } };
}

/** The number with four digits after the point; undefined where it is out of range. */
export function writeDecimal(value: number): string | undefined {
  // What is written with a positive exponent is out of range.
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

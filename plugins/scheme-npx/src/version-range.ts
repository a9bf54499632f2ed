interface Version {
  readonly written: string;
  readonly numbers: readonly [major: number, minor: number, patch: number];
  readonly before: readonly string[];
}

const EXACT = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const RANGE = /^([~^]?)(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([0-9A-Za-z.-]+))?$/;

/**
 * The newest version of a simple range: `^1.2`, `~1.2.3`, `1.x`, `2`. Versions
 * before a release count only where the range names one of the same release, as
 * in npm. Undefined when there is none, or when the text is no range.
 */
export function newestInRange(range: string, versions: readonly string[]): string | undefined {
  const wanted = readRange(range);
  if (wanted === undefined) return undefined;
  const { low, high } = wanted;
  const fitting = versions
    .flatMap((text) => readVersion(text) ?? [])
    .filter((version) => {
      if (compare(version, low) < 0) return false;
      if (high.some((number, at) => number !== undefined && number !== version.numbers[at])) return false;
      const isSameRelease = version.numbers.every((number, at) => number === low.numbers[at]);
      return version.before.length === 0 || (low.before.length > 0 && isSameRelease);
    });
  return fitting.toSorted(compare).at(-1)?.written;
}

/** From `low` on; each number that is in `high` has to be the same, after those before it. */
interface Range {
  readonly low: Version;
  readonly high: readonly (number | undefined)[];
}

function readRange(text: string): Range | undefined {
  const parts = RANGE.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', ...rest] = parts;
  const given = [rest[0], rest[1], rest[2]].map((part) =>
    part === undefined || /^[xX*]$/.test(part) ? undefined : Number(part),
  );
  const [major, minor, patch] = given;
  const low: Version = {
    written: text,
    numbers: [major ?? 0, minor ?? 0, patch ?? 0],
    before: rest[3]?.split('.') ?? [],
  };
  return { low, high: fixedNumbers(sign, major, minor, patch) };
}

/** `~` keeps the minor, `^` the first number that is not zero, neither all that are given. */
function fixedNumbers(
  sign: string,
  major: number | undefined,
  minor: number | undefined,
  patch: number | undefined,
): Range['high'] {
  if (major === undefined) return [];
  if (sign === '') return minor === undefined ? [major] : [major, minor, patch];
  if (sign === '~' || minor === undefined) return [major, minor];
  if (major > 0) return [major];
  return minor > 0 || patch === undefined ? [major, minor] : [major, minor, patch];
}

function readVersion(text: string): Version | undefined {
  const parts = EXACT.exec(text);
  if (parts === null) return undefined;
  const [, major, minor, patch, before] = parts;
  return {
    written: text,
    numbers: [Number(major), Number(minor), Number(patch)],
    before: before?.split('.') ?? [],
  };
}

/** Semantic Versioning 2.0.0, 11. */
function compare(one: Version, other: Version): number {
  for (const [at, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length;
  for (const [at, part] of one.before.entries()) {
    const against = other.before[at];
    if (against === undefined) return 1;
    const difference = compareParts(part, against);
    if (difference !== 0) return difference;
  }
  return one.before.length - other.before.length;
}

function compareParts(one: string, other: string): number {
  const numbers = [one, other].map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  const [left, right] = numbers;
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined) return -1;
  if (right !== undefined) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

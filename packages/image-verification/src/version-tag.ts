/** Version tag, such as `v1.2.3-rc.1-alpine`. */
export interface VersionTag {
  readonly prefix: string;
  readonly numbers: readonly bigint[];
  /** Word and number of a pre-release (`rc`, 1); undefined for a release. */
  readonly preview: { readonly word: string; readonly number: bigint } | undefined;
  /** Suffix of the variant, such as `-alpine`; empty for the default image. */
  readonly variant: string;
}

/** Pattern of a version tag. Limits the digits per number, because longer numbers are commit ids. */
const TAG =
  /^(?<prefix>v?)(?<numbers>\d{1,8}(?:\.\d{1,8}){0,3})(?:[-.]?(?<word>alpha|beta|rc|pre|preview|dev|next|nightly|canary|snapshot)(?:[.-]?(?<number>\d{1,8}))?)?(?<variant>(?:[-_.][a-z].*)?)$/i;
/** First numbers from here on are years or dates, which are not newer than version 1.2. */
const CALENDAR = 1900n;

/** Returns undefined for a tag that is not a version, such as `latest` or `sha-2f5a1c0`. */
export function readVersionTag(tag: string): VersionTag | undefined {
  const { prefix = '', numbers = '', word, number = '0', variant = '' } = TAG.exec(tag)?.groups ?? {};
  if (numbers === '') return undefined;
  return {
    prefix: prefix.toLowerCase(),
    numbers: numbers.split('.').map(BigInt),
    preview: word === undefined ? undefined : { word: word.toLowerCase(), number: BigInt(number) },
    variant,
  };
}

/**
 * Returns the newest tag with a newer version of the same form: the same count of numbers, the same variant,
 * calendar-based or not, and a pre-release only if this one is.
 */
export function chooseNewerTag(tag: string, tags: readonly string[]): string | undefined {
  const current = readVersionTag(tag);
  if (current === undefined) return undefined;
  let best = { tag: undefined as string | undefined, version: current };
  for (const one of tags) {
    const version = readVersionTag(one);
    if (version !== undefined && isAlike(version, current) && compareVersions(version, best.version) > 0)
      best = { tag: one, version };
  }
  return best.tag;
}

function isAlike(version: VersionTag, current: VersionTag): boolean {
  return (
    version.prefix === current.prefix &&
    version.variant === current.variant &&
    version.numbers.length === current.numbers.length &&
    isCalendar(version) === isCalendar(current) &&
    (version.preview === undefined || current.preview !== undefined)
  );
}

function isCalendar({ numbers: [first = 0n] }: VersionTag): boolean {
  return first >= CALENDAR;
}

function compareVersions(left: VersionTag, right: VersionTag): number {
  for (const [at, number] of left.numbers.entries()) {
    const other = right.numbers[at] ?? 0n;
    if (number !== other) return number > other ? 1 : -1;
  }
  if (left.preview === undefined || right.preview === undefined)
    return Number(left.preview === undefined) - Number(right.preview === undefined);
  if (left.preview.word !== right.preview.word) return left.preview.word > right.preview.word ? 1 : -1;
  return (
    Number(left.preview.number > right.preview.number) - Number(left.preview.number < right.preview.number)
  );
}

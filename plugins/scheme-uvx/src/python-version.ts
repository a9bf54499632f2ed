/** One version of a Python project, as far as its order needs it (PyPA, "Version specifiers"). */
interface Version {
  readonly written: string;
  readonly epoch: number;
  readonly release: readonly number[];
  /** Development, pre-release, final, post-release: what sorts after the release numbers. */
  readonly rest: readonly number[];
  readonly isBefore: boolean;
}

const VERSION =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|a|b|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9._-]+))?$/i;

/** The newest version; one before a release only when there is no release. Undefined for none at all. */
export function newestVersion(versions: readonly string[]): string | undefined {
  const known = versions.flatMap((text) => readVersion(text) ?? []).toSorted(compare);
  return (known.findLast(({ isBefore }) => !isBefore) ?? known.at(-1))?.written;
}

function readVersion(written: string): Version | undefined {
  const parts = VERSION.exec(written.trim());
  if (parts === null) return undefined;
  const [, epoch = '0', release = '0', pre, preNumber, dash, post, postNumber, dev, devNumber] = parts;
  const isPost = dash !== undefined || post !== undefined;
  return {
    written: written.trim(),
    epoch: Number(epoch),
    release: release.split('.').map(Number),
    rest: [
      // A development version of the release itself sorts before its pre-releases.
      pre === undefined ? (dev !== undefined && !isPost ? -1 : 3) : rankOf(pre),
      Number(preNumber ?? 0),
      isPost ? 1 + Number(dash ?? postNumber ?? 0) : 0,
      dev === undefined ? Number.POSITIVE_INFINITY : Number(devNumber ?? 0),
    ],
    isBefore: pre !== undefined || dev !== undefined,
  };
}

function rankOf(pre: string): number {
  const letter = pre.toLowerCase();
  if (letter.startsWith('a')) return 0;
  return letter.startsWith('b') ? 1 : 2;
}

function compare(one: Version, other: Version): number {
  return (
    one.epoch - other.epoch ||
    compareNumbers(one.release, other.release) ||
    compareNumbers(one.rest, other.rest)
  );
}

/** Numbers that are not there count as zero; infinity equals itself. */
function compareNumbers(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [left = 0, right = 0] = [one[at], other[at]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

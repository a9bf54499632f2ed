const VERSION = /^v(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Returns the newest version. A pre-release counts only when there is no release. */
export function newestGoVersion(versions: readonly string[]): string | undefined {
  const known = versions.filter((text) => VERSION.test(text)).toSorted(compare);
  return known.findLast((text) => VERSION.exec(text)?.[4] === undefined) ?? known.at(-1);
}

/** Compares versions by Semantic Versioning 2.0.0, section 11. */
function compare(one: string, other: string): number {
  const [left, right] = [VERSION.exec(one), VERSION.exec(other)];
  for (const at of [1, 2, 3]) {
    const difference = Number(left?.[at]) - Number(right?.[at]);
    if (difference !== 0) return difference;
  }
  return compareBefore(left?.[4], right?.[4]);
}

function compareBefore(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  const [left, right] = [one.split('.'), other.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [a, b] = [left[at], right[at]];
    if (a === undefined || b === undefined) return Number(b === undefined) - Number(a === undefined);
    const difference = comparePart(a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares parts of a pre-release: numbers sort before words. */
function comparePart(one: string, other: string): number {
  const [left, right] = [one, other].map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
  return one < other ? -1 : Number(one > other);
}

/**
 * The newest version that a range of npm allows: `^1.2`, `~1.2.3`, `1.x`, `>=1 <2`,
 * `1 || 2`, `1 - 2`. Versions before a release count only where the range names
 * one of the same release. Undefined when there is none, or when the text is no
 * range.
 */
export async function newestInRange(range: string, versions: readonly string[]): Promise<string | undefined> {
  // Only here: an exact version and a tag need none of it.
  const { default: maxSatisfying } = await import('semver/ranges/max-satisfying.js');
  return maxSatisfying(versions, range) ?? undefined;
}

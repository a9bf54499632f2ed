/**
 * Returns the newest version in a range of npm: `^1.2`, `~1.2.3`, `1.x`, `>=1 <2`, `1 || 2`, `1 - 2`.
 * Pre-releases count only where the range names one of the same release.
 */
export async function newestInRange(range: string, versions: readonly string[]): Promise<string | undefined> {
  // Loaded on demand: exact versions and tags do not need it.
  const { default: maxSatisfying } = await import('semver/ranges/max-satisfying.js');
  return maxSatisfying(versions, range) ?? undefined;
}

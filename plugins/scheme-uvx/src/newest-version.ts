/** PyPA, "Version specifiers"; a pre-release only when there is no release. Ignores invalid versions. */
export async function newestVersion(versions: readonly string[]): Promise<string | undefined> {
  // Loaded on demand: exact versions need no comparison.
  const { compare, explain } = await import('@renovatebot/pep440');
  const known = versions
    .map((text) => text.trim())
    .flatMap((text) => {
      const parts = explain(text);
      return parts === null ? [] : [{ text, isBefore: parts.is_prerelease }];
    })
    .toSorted((one, other) => compare(one.text, other.text));
  return (known.findLast(({ isBefore }) => !isBefore) ?? known.at(-1))?.text;
}

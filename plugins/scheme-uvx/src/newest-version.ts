/**
 * The newest version of a Python project (PyPA, "Version specifiers"); one
 * before a release only when there is no release. What is no version is left
 * out. Undefined for none at all.
 */
export async function newestVersion(versions: readonly string[]): Promise<string | undefined> {
  // Only here: a version that is named exactly needs no order.
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

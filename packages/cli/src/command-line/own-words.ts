/** The words in front of `--`: those behind it are handed on as they are. */
export function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

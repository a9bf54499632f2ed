/** Returns the words before `--`. */
export function wordsBeforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

/** Maximum length of a word. Longer ones, such as encoded data, are cut. */
const MAX_WORD_LENGTH = 64;

// A capital after a small letter, the last capital before a small letter, and the borders of digits.
const BORDERS =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u;

/**
 * Returns the words of a text, in lower case. Names in snake_case, kebab-case and camelCase become several words, and
 * digits are words of their own.
 */
export function splitWords(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .split(SEPARATORS)
    .flatMap((part) => part.split(BORDERS))
    .filter((word) => word !== '')
    .map((word) => word.slice(0, MAX_WORD_LENGTH).toLowerCase());
}

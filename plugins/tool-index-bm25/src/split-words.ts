/** Maximum length of a word. Longer ones, such as encoded data, are cut. */
const MAX_WORD_LENGTH = 64;

const SEPARATORS = /[^\p{L}\p{M}\p{N}_-]+/u;
// A capital after a small letter, the last capital before a small letter, and the borders of digits.
const BORDERS =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
const HAS_NO_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{2,}$/u;

/**
 * Returns the words of a text, in lower case. Names in snake_case, kebab-case and camelCase become several words, and
 * digits are words of their own. A name of two words is also a word as a whole, because some write `OneDrive` and
 * `e-mail`, and others `onedrive` and `email`. Chinese and Japanese text becomes pairs of characters.
 */
export function splitWords(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .split(SEPARATORS)
    .flatMap(splitName)
    .map((word) => word.slice(0, MAX_WORD_LENGTH).toLowerCase());
}

function splitName(name: string): readonly string[] {
  const parts = name.split(/[_-]+/).filter((part) => part !== '');
  const words = parts.flatMap(splitPart);
  return parts.length === 2 && name.includes('-') ? [...words, parts.join('')] : words;
}

function splitPart(part: string): readonly string[] {
  if (HAS_NO_SPACES.test(part)) return pairsOf(Array.from(part));
  const words = part.split(BORDERS);
  return words.length === 2 ? [...words, part] : words;
}

function pairsOf(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

import { groupTermsOf } from './related-words.ts';
import { splitWords } from './split-words.ts';
import { stemWord } from './stem-word.ts';

/** English words that occur in questions and descriptions of any subject. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    'a an and are as at be by can do does did for from has have how i if in into is it its may me my of on or our',
    'so some than that the their them then there these this to up us was we were what when where which who why',
    'will with you your',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Returns what the index compares of a text: for each word that is no stop word its stem, followed by the groups of
 * related words that it belongs to.
 */
export function searchTermsOf(text: string): readonly (readonly string[])[] {
  return splitWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => {
      const stem = stemWord(word);
      return [stem, ...groupTermsOf(stem)];
    });
}

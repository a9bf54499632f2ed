import { stripVTControlCharacters } from 'node:util';

/** A text from outside as it may be printed: without anything that moves the cursor, colours or breaks the line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** The same of a text of several lines: line breaks and tabs stay. */
export function printableLines(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]+|[\p{Cf}\u2028\u2029]+/gu, ' ');
}

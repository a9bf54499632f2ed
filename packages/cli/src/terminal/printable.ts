import { stripVTControlCharacters } from 'node:util';

/** Removes from untrusted text everything that moves the cursor, changes colours or breaks the line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** Like `printable`, but for text of several lines: keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]+|[\p{Cf}\u2028\u2029]+/gu, ' ');
}

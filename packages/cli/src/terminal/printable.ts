import { stripVTControlCharacters } from 'node:util';

/** Removes from untrusted text everything that moves the cursor, changes colours or breaks the line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** Like `printable`, but for text of several lines: keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]+|[\p{Cf}\u2028\u2029]+/gu, ' ');
}

/**
 * Escapes characters of an untrusted text that a terminal would obey or not show, such as `\u200b`, so that a reader
 * sees them. Keeps line breaks and tabs.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029\p{Variation_Selector}]/gu, (match) =>
    Array.from(
      match.split(''),
      (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

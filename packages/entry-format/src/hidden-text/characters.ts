/**
 * Matches characters that a reader does not see: those that Unicode lists as ignorable, separators of lines and
 * paragraphs, the blank Braille pattern, and control characters except tab, line feed and carriage return.
 */
export const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb[\p{Cc}--[\t\n\r]]]/gv;

/** Returns a character as its code point, such as `U+200B`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

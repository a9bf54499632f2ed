/** Maximum length of quoted texts in messages. */
const LONGEST = 80;

/**
 * Matches user and password of a URL. URL parsers treat a backslash as a slash, and the user part ends at the
 * last @.
 */
const USER_INFO = /\b((?:https?|wss?|ftp|rediss?|postgres(?:ql)?|socks5h?):[\\/]{0,8})[^\\/?#\s"']*@/gi;

export function hideUserInfo(text: string): string {
  return text.replaceAll(USER_INFO, '$1');
}

/** Quotes a text for a message: hides passwords in URLs, truncates, and escapes control characters. */
export function quote(text: string): string {
  const shown = hideUserInfo(text);
  const start = shown.slice(0, LONGEST).toWellFormed();
  return JSON.stringify(start.length < shown.length ? `${start}…` : start);
}

/** Returns whether a text has C0, DEL or C1 characters, which no name, path or value needs. */
export function hasControlCharacters(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these very characters are looked for
  return /[\u0000-\u001f\u007f-\u009f]/u.test(text);
}

/** Matches control, format and line separator characters, and lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Returns whether a text has characters that make it look different: U+200B is invisible, U+202E reverses
 * letters.
 */
export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}

/** Shows hidden characters by their code: `a<U+202E>b`. */
export function showHidden(text: string): string {
  return text.replaceAll(
    new RegExp(HIDDEN, 'gu'),
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/** Returns `one of a, b`, or a single choice unchanged. */
export function oneOf(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join('') : `one of ${choices.join(', ')}`;
}

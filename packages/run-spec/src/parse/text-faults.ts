/** Longer texts are cut in messages. */
const LONGEST = 80;

/** User name and password of an address; readers of URLs take a backslash for a slash, and the last @ counts. */
const USER_INFO = /\b((?:https?|wss?|ftp|rediss?|postgres(?:ql)?|socks5h?):[\\/]{0,8})[^\\/?#\s"']*@/gi;

/** Returns the text without user names and passwords of the addresses in it. */
export function hideUserInfo(text: string): string {
  return text.replaceAll(USER_INFO, '$1');
}

/** Returns a text of the user in quotes, without passwords of addresses, cut when it is long, with control characters escaped. */
export function quote(text: string): string {
  const shown = hideUserInfo(text);
  const start = shown.slice(0, LONGEST).toWellFormed();
  return JSON.stringify(start.length < shown.length ? `${start}…` : start);
}

/** Whether a text holds characters that no name, path or value of a command line needs: C0, DEL, C1. */
export function hasControlCharacters(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these very characters are looked for
  return /[\u0000-\u001f\u007f-\u009f]/u.test(text);
}

/** Characters that change how a text is shown, or are not shown: control, format, line separators, lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns whether a person sees another text than this one: U+200B is not shown, U+202E turns letters around. */
export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}

/** Returns the text with every hidden character as its code point: `a<U+202E>b`. */
export function showHidden(text: string): string {
  return text.replaceAll(
    new RegExp(HIDDEN, 'gu'),
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/** `one of a, b`; the only choice as it is. */
export function oneOf(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join('') : `one of ${choices.join(', ')}`;
}

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

/** `one of a, b`; the only choice as it is. */
export function oneOf(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join('') : `one of ${choices.join(', ')}`;
}

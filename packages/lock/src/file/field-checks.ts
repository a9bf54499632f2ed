/** Rule of a text in a lock file. */
export interface TextRule {
  readonly expected: string;
  readonly isValid: (text: string) => boolean;
}

const MAX_TEXT_LENGTH = 2048;

/** Matches a path of the machine: absolute, in the home folder, or relative; also behind `npx://` and `file://`. */
const PATH = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[\\/~]|\.{1,2}(?:[\\/]|$)|[A-Za-z]:[\\/])|^file:/i;
/** Matches a URL whose user part or query may hold a secret. */
const SECRET_URL = /^(?:https?|wss?):\/\/(?:[^/?#]*@|[^?#]*[?#])/i;

/** Any text on one line that is neither a path nor a URL with a secret. */
export const PLAIN_TEXT: TextRule = {
  expected: 'a text without a path of the machine, a password or a query',
  isValid: (text) =>
    text !== '' &&
    text.length <= MAX_TEXT_LENGTH &&
    !/[\p{Cc}--[\x80-\x9f]]/v.test(text) &&
    !PATH.test(text) &&
    !SECRET_URL.test(text),
};

export const DIGEST: TextRule = {
  expected: '"sha256:" and 64 hexadecimal digits',
  isValid: (text) => /^sha256:[0-9a-f]{64}$/.test(text),
};

export const INTEGRITY: TextRule = {
  expected: 'a hash such as "sha512-…"',
  isValid: (text) => /^[a-z0-9]+[-:][A-Za-z0-9+/=_-]+$/.test(text) && text.length <= MAX_TEXT_LENGTH,
};

export const DATE: TextRule = {
  expected: 'a date such as 2026-11-29',
  isValid: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text),
};

/** Returns whether a date exists, unlike February 30. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns whether a text is the name of a workload: letters, digits, `.`, `_` and `-`. */
export function isWorkloadName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,255}$/.test(text) && /[A-Za-z0-9]/.test(text);
}

/**
 * Returns a target as a lock file may name it: without user, password, query and fragment of a URL, and a folder
 * by its last name only.
 */
export function sourceOf(target: string): string {
  if (!PATH.test(target)) return target.replace(/^((?:https?|wss?):\/\/)([^/?#]*@)?([^?#]*)[^]*$/i, '$1$3');
  const parts = target.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').split(/[\\/]+/);
  return `folder:${parts.findLast((part) => /[^.~]/.test(part)) ?? '.'}`;
}

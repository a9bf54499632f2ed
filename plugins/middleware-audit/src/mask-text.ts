export const MASKED = '[secret]';

const SECRET_KEY =
  /token|passw|passphrase|pwd|secret|authorization|apikey|accesskey|privatekey|signingkey|encryptionkey|sharedkey|sshkey|credential|cookie|bearer|jwt|assertion|connectionstring/;

/** Returns whether a name sounds like a secret, in any spelling of a key, header or variable. */
export function looksSecret(name: string): boolean {
  return SECRET_KEY.test(
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, ''),
  );
}

// Characters inside and outside of names with dots. Repetitions are bounded: V8 may store each position, and throws a RangeError after
// some millions, once a process has compiled a megabyte of patterns (`--no-regexp-optimization` reproduces
// it).
const DOTTED = { inside: /[\w.-]/g, outside: /[^\w.-]/g };
const ADDRESS = { inside: /[^\s"'<>]/g, outside: /[\s"'<>]/g };
const ASSIGNS = /["']?\s{0,3}[=:]\s{0,3}/g;
const NAME = /[\w-]/;
const SCHEME_OF_VALUE = /(?:bearer|basic|digest|negotiate)\s/iy;
const SCHEME = /(?<![\w-])(?:bearer|basic|negotiate)\s/gi;
const CREDENTIAL = /[\w.~+/=-]{8}/y;
const AFTER_CREDENTIAL = /[^\w.~+/=-]/g;
const NOT_SPACE = /\S/g;
const AFTER_VALUE = /[\s&,;]/g;

/**
 * Matches characters of which assignments, credentials after a scheme, and addresses contain at least one.
 */
const MARK = /[=:\s]/;

export function maskTokens(text: string): string {
  if (!text.includes('eyJ')) return text;
  return replaceWords(text, DOTTED, (word) => {
    const start = word.indexOf('eyJ');
    const isToken = start >= 0 && word.indexOf('.') !== word.lastIndexOf('.');
    return isToken ? word.slice(0, start) + MASKED : word;
  });
}

/**
 * Masks tokens, credentials with their scheme, values assigned to names that sound secret, and user, password
 * and query of addresses. It masks too much rather than too little.
 */
export function maskText(text: string): string {
  // All secrets other than tokens follow one of these characters.
  if (!MARK.test(text)) return maskTokens(text);
  const masked = maskCredentials(maskAssigned(maskTokens(text)));
  return masked.includes('://') ? replaceWords(masked, ADDRESS, maskAddress) : masked;
}

function replaceWords(text: string, word: typeof DOTTED, replacement: (word: string) => string): string {
  const stored = new MaskedText(text);
  for (let end = 0; ; ) {
    const start = placeOf(word.inside, text, end);
    if (start === text.length) return stored.end();
    end = placeOf(word.outside, text, start);
    const match = text.slice(start, end);
    const replaced = replacement(match);
    if (replaced !== match) stored.replace(start, end, replaced);
  }
}

function maskAssigned(text: string): string {
  const saved = new MaskedText(text);
  let nameFrom = 0;
  for (const { 0: assigns, index } of text.matchAll(ASSIGNS)) {
    const start = index + assigns.length;
    const name = nameBefore(text, nameFrom, index);
    nameFrom = start;
    if (index - name.length >= saved.done && looksSecret(name)) {
      const end = endOfValue(text, start);
      if (end > start) saved.replace(start, end, MASKED);
    }
  }
  return saved.end();
}

function maskCredentials(text: string): string {
  const stored = new MaskedText(text);
  for (const { 0: scheme, index } of text.matchAll(SCHEME)) {
    const start = placeOf(NOT_SPACE, text, index + scheme.length);
    CREDENTIAL.lastIndex = start;
    if (index < stored.done || !CREDENTIAL.test(text)) continue;
    stored.replace(index + scheme.length - 1, placeOf(AFTER_CREDENTIAL, text, start), ` ${MASKED}`);
  }
  return stored.end();
}

function maskAddress(word: string): string {
  const start = word.indexOf('://');
  if (start < 0) return word;
  const from = start + '://'.length;
  const end = word.slice(from).search(/[?#]/);
  const place = end < 0 ? word.slice(from) : word.slice(from, from + end);
  const query = end < 0 ? '' : word.charAt(from + end) + MASKED;
  return word.slice(0, from) + withoutUser(place) + query;
}

function withoutUser(place: string): string {
  const slash = place.indexOf('/');
  const authority = slash < 0 ? place : place.slice(0, slash);
  const at = authority.lastIndexOf('@');
  return at < 0 ? place : `${MASKED}${place.slice(at)}`;
}

/** Returns the name before a position, which starts at `from` or later. */
function nameBefore(text: string, from: number, end: number): string {
  let start = end;
  while (start > from && NAME.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

/** Includes the scheme; ends with the quote, or at the next space or separator. */
function endOfValue(text: string, from: number): number {
  SCHEME_OF_VALUE.lastIndex = from;
  if (SCHEME_OF_VALUE.test(text)) {
    const start = placeOf(NOT_SPACE, text, SCHEME_OF_VALUE.lastIndex);
    const end = endOfWord(text, start);
    if (end > start) return end;
  }
  return endOfWord(text, from);
}

function endOfWord(text: string, from: number): number {
  const quote = text.charAt(from);
  const closing = quote === '"' || quote === "'" ? text.indexOf(quote, from + 1) : -1;
  return closing < 0 ? placeOf(AFTER_VALUE, text, from) : closing + 1;
}

/** Returns the position of a match; the end of the text without a match. */
function placeOf(character: RegExp, text: string, from: number): number {
  character.lastIndex = from;
  return character.test(text) ? character.lastIndex - 1 : text.length;
}

class MaskedText {
  readonly #text: string;
  readonly #parts: string[] = [];
  #done = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Position up to which the text is processed. */
  get done(): number {
    return this.#done;
  }

  replace(start: number, end: number, replacement: string): void {
    this.#parts.push(this.#text.slice(this.#done, start), replacement);
    this.#done = end;
  }

  end(): string {
    return this.#parts.length === 0 ? this.#text : this.#parts.join('') + this.#text.slice(this.#done);
  }
}

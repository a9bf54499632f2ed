/** What stands where something was masked. */
export const MASKED = '[secret]';

const SECRET_KEY =
  /token|passw|passphrase|pwd|secret|authorization|apikey|accesskey|privatekey|signingkey|encryptionkey|sharedkey|sshkey|credential|cookie|bearer|jwt|assertion|connectionstring/;

/** Whether a key, a header's or a variable's name announces a secret, in whatever spelling. */
export function looksSecret(name: string): boolean {
  return SECRET_KEY.test(
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, ''),
  );
}

// Each pattern begins where a word begins, so that no text makes it look at the same place again and again.
// None repeats a group: what that remembers of a text of megabytes is more than there is room for.
const DOTTED_WORD = /(?<![\w.-])[\w.-]+/g;
const ASSIGNED = /(?<![\w-])([\w-]+)["']?\s{0,3}[=:]\s{0,3}/g;
const VALUE = /^(?:(?:bearer|basic|digest|negotiate)\s+)?(?:"[^"]*"|'[^']*'|[^\s&,;]+)/i;
const CREDENTIAL = /(?<![\w-])(bearer|basic|negotiate)\s+[\w.~+/=-]{8,}/gi;
const WORD = /(?<![^\s"'<>])[^\s"'<>]+/g;

/** What is assigned, what follows the word for a scheme, and an address have one of these. */
const MARK = /[=:\s]/;

/** Takes JSON web tokens out of a text, wherever they stand in it. */
export function maskTokens(text: string): string {
  if (!text.includes('eyJ')) return text;
  return text.replaceAll(DOTTED_WORD, (word) => {
    const start = word.indexOf('eyJ');
    const isToken = start >= 0 && word.indexOf('.') !== word.lastIndexOf('.');
    return isToken ? word.slice(0, start) + MASKED : word;
  });
}

/**
 * Takes out of a text what may be secret: tokens, credentials with their scheme,
 * what is assigned to a name that sounds secret, and user, password and query of addresses.
 * It rather takes too much.
 */
export function maskText(text: string): string {
  // All but tokens stand behind one of these.
  if (!MARK.test(text)) return maskTokens(text);
  const masked = maskAssigned(maskTokens(text)).replaceAll(CREDENTIAL, `$1 ${MASKED}`);
  return masked.includes('://') ? masked.replaceAll(WORD, maskAddress) : masked;
}

function maskAssigned(text: string): string {
  const kept: string[] = [];
  let done = 0;
  for (const { 0: assigned, 1: name = '', index } of text.matchAll(ASSIGNED)) {
    const start = index + assigned.length;
    const value = index >= done && looksSecret(name) ? VALUE.exec(text.slice(start))?.[0] : undefined;
    if (value === undefined) continue;
    kept.push(text.slice(done, start), MASKED);
    done = start + value.length;
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(done);
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

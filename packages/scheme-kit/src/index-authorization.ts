/**
 * What is sent as `Authorization` to an address of an index; undefined for one
 * that gets nothing.
 */
export type IndexAuthorization = (address: URL) => string | undefined;

/** Of a name and a password (RFC 7617). */
export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/**
 * The authorization for indexes whose addresses hold a name and a password, for
 * what is below them and nothing else; for every other address that of the
 * netrc, by host. Pure.
 */
export function authorizeIndexes(
  addresses: readonly string[],
  netrc: string | undefined,
): IndexAuthorization {
  const logins = addresses.flatMap((text) => loginOfAddress(text) ?? []);
  return (address) => {
    const login = logins.find(({ index }) => isBelow(address, index)) ?? findNetrcLogin(netrc ?? '', address);
    return login === undefined ? undefined : basicAuthorization(login.name, login.password);
  };
}

interface Login {
  readonly name: string;
  readonly password: string;
}

/** The name and the password in an address; undefined where it has none. */
export function loginOfAddress(text: string): (Login & { readonly index: URL }) | undefined {
  const index = URL.parse(text);
  if (index === null || (index.username === '' && index.password === '')) return undefined;
  return { index, name: decoded(index.username), password: decoded(index.password) };
}

/** Whether an address is of the same scheme, host and port, and its path the same or below. */
export function isBelow(address: URL, index: URL): boolean {
  const root = index.pathname.replace(/\/*$/, '/');
  return address.origin === index.origin && `${address.pathname}/`.startsWith(root);
}

/**
 * What a netrc says of the host of an address: its first `machine` of that name.
 * Its `default` is for no host in particular, and counts for none here.
 */
export function findNetrcLogin(netrc: string, { hostname }: URL): Login | undefined {
  const words = [...netrc.replaceAll(MACRO, '').matchAll(WORD)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1'),
  );
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] !== 'machine' || words[at + 1]?.toLowerCase() !== hostname) continue;
    const fields = new Map<string, string>();
    for (at += 2; FIELDS.has(words[at] ?? ''); at += 2) fields.set(words[at] ?? '', words[at + 1] ?? '');
    const name = fields.get('login') ?? fields.get('user');
    return name === undefined ? undefined : { name, password: fields.get('password') ?? '' };
  }
  return undefined;
}

const FIELDS: ReadonlySet<string> = new Set(['login', 'user', 'password', 'account']);
/** A word, perhaps in quotes; what begins with `#` goes to the end of its line. */
const WORD = /(?:^|(?<=\s))#[^\n]*|"((?:[^"\\]|\\.)*)"|(\S+)/g;
/** Ends with an empty line. */
const MACRO = /^[ \t]*macdef\b[^]*?(?:\n[ \t]*\r?\n|$(?![^]))/gm;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign stands for itself
  }
}

/** Returns the `Authorization` header for an index address. */
export type IndexAuthorization = (address: URL) => string | undefined;

/** Returns the Basic authorization of a name and a password (RFC 7617). */
export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/**
 * Returns a function that finds the credentials for an address: those in the address of an index apply only below it, the netrc
 * applies to all others by host. Pure.
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

export function loginOfAddress(text: string): (Login & { readonly index: URL }) | undefined {
  const index = URL.parse(text);
  if (index === null || (index.username === '' && index.password === '')) return undefined;
  return { index, name: decoded(index.username), password: decoded(index.password) };
}

/** Requires the same scheme, host and port, and a path at or below the index. */
export function isBelow(address: URL, index: URL): boolean {
  const root = index.pathname.replace(/\/*$/, '/');
  return address.origin === index.origin && `${address.pathname}/`.startsWith(root);
}

/** Returns the first `machine` of the host. Ignores `default`, which names no host. */
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
/** A word, optionally quoted. `#` starts a comment. */
const WORD = /(?:^|(?<=\s))#[^\n]*|"((?:[^"\\]|\\.)*)"|(\S+)/g;
/** Matches a netrc macro, which ends with an empty line. */
const MACRO = /^[ \t]*macdef\b[^]*?(?:\n[ \t]*\r?\n|$(?![^]))/gm;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign is literal
  }
}

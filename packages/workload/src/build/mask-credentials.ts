import { basicAuthorization, loginOfAddress } from '@portolan/scheme-kit';

/** Shorter ones are part of too many words. */
const SHORTEST = 4;
/** A part of a path that is as long may be a token. */
const LONG = 16;

export interface MaskedParts {
  /** Values that are secret as a whole. */
  readonly secret: Readonly<Record<string, string>>;
  /** Values that are not, but for a password in an address. */
  readonly shown: Readonly<Record<string, string>>;
  readonly authFiles: Readonly<Record<string, string>>;
}

/** Every text that has to be masked: values, passwords and tokens in them, and how these are sent. */
export function listSecretTexts({ secret, shown, authFiles }: MaskedParts): readonly string[] {
  const values = Object.values(secret);
  const found = new Set(values);
  const files = Object.values(authFiles);
  const addresses = [...values, ...Object.values(shown), ...files].flatMap(
    (text) => text.match(/[a-z]+:\/\/[^\s"']+@[^\s"']+/gi) ?? [],
  );
  for (const address of addresses) {
    const login = loginOfAddress(address);
    if (login === undefined) continue;
    found.add(login.password === '' ? login.name : login.password);
    found.add(login.password === '' ? login.index.username : login.index.password);
    found.add(basicAuthorization(login.name, login.password).slice('Basic '.length));
  }
  for (const part of [...values, ...files].flatMap(longPartsOfPaths)) found.add(part);
  for (const text of files) {
    for (const [, field = '', token = ''] of text.matchAll(TOKEN)) {
      found.add(token);
      const plain = Buffer.from(token, 'base64').toString('utf8');
      if (/^_(?:password|auth)$/i.test(field)) found.add(plain.slice(plain.indexOf(':') + 1));
    }
  }
  return [...found].filter((text) => text.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

/** Some indexes have a token in the path of their address. */
function longPartsOfPaths(text: string): readonly string[] {
  const addresses = text.match(/[a-z]+:\/\/[^\s"']+/gi) ?? [];
  const parts = addresses.flatMap((address) => URL.parse(address)?.pathname.split('/') ?? []);
  return parts.filter((part) => part.length >= LONG);
}

/** Tokens and passwords of npm, Yarn and netrc. */
const TOKEN =
  /(?<![A-Za-z])(_authToken|_auth|_password|npmAuthToken|npmAuthIdent|password|account)["']?\s*[=:\s]\s*["']?([^\s"']+)/gi;

/** The text with each of these replaced, in capitals or not: names of hosts lose them. */
export function maskTexts(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) masked = masked.replaceAll(new RegExp(escaped(secret), 'gi'), '***');
  return masked;
}

/** For a regular expression that finds this very text. */
function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

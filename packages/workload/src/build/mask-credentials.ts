import { basicAuthorization, loginOfAddress } from '@portolan/scheme-kit';

/** Minimum length of a masked text in characters: shorter texts occur in too many words. */
const SHORTEST = 4;
/** Length in characters at which a segment of a URL's path counts as a token. */
const LONG = 16;

export interface MaskedParts {
  readonly secret: Readonly<Record<string, string>>;
  /** Values that are not secret, but may be URLs that contain passwords. */
  readonly shown: Readonly<Record<string, string>>;
  readonly authFiles: Readonly<Record<string, string>>;
}

/**
 * Returns every text to mask: the secret values, the passwords and tokens inside the values and files, and
 * the encoded forms of all of these.
 */
export function listSecretTexts({ secret, shown, authFiles }: MaskedParts): readonly string[] {
  const values = Object.values(secret);
  const secretTexts = new Set(values);
  const files = Object.values(authFiles);
  const addresses = [...values, ...Object.values(shown), ...files].flatMap(
    (text) => text.match(/[a-z]+:\/\/[^\s"']+@[^\s"']+/gi) ?? [],
  );
  for (const address of addresses) {
    const login = loginOfAddress(address);
    if (login === undefined) continue;
    secretTexts.add(login.password === '' ? login.name : login.password);
    secretTexts.add(login.password === '' ? login.index.username : login.index.password);
    secretTexts.add(basicAuthorization(login.name, login.password).slice('Basic '.length));
  }
  for (const part of [...values, ...files].flatMap(longPartsOfPaths)) secretTexts.add(part);
  for (const text of files) {
    for (const [, field = '', token = ''] of text.matchAll(TOKEN)) {
      secretTexts.add(token);
      const plain = Buffer.from(token, 'base64').toString('utf8');
      if (/^_(?:password|auth)$/i.test(field)) secretTexts.add(plain.slice(plain.indexOf(':') + 1));
    }
  }
  return [...secretTexts].filter((text) => text.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

/** Returns long segments of URL paths, because some package indexes have a token there. */
function longPartsOfPaths(text: string): readonly string[] {
  const addresses = text.match(/[a-z]+:\/\/[^\s"']+/gi) ?? [];
  const parts = addresses.flatMap((address) => URL.parse(address)?.pathname.split('/') ?? []);
  return parts.filter((part) => part.length >= LONG);
}

const TOKEN =
  /(?<![A-Za-z])(_authToken|_auth|_password|npmAuthToken|npmAuthIdent|password|account)["']?\s*[=:\s]\s*["']?([^\s"']+)/gi;

/** Masks secrets in a text regardless of case, because host names are converted to lower case. */
export function maskTexts(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) masked = masked.replaceAll(new RegExp(escaped(secret), 'gi'), '***');
  return masked;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

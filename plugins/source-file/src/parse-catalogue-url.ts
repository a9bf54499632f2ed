import { urlInvalid } from './errors.ts';

export interface CatalogueUrl {
  /** Without user, password and fragment. */
  readonly url: URL;
  /** `Authorization` header for the origin of `url`. */
  readonly authorization: string | undefined;
}

/** Throws ERR_SOURCE_CONFIG without the address in the message, because it may contain a secret. */
export function parseCatalogueUrl(text: string): CatalogueUrl {
  const fault = findUrlFault(text);
  if (fault !== undefined) throw urlInvalid(fault);
  const url = new URL(text);
  const authorization = url.username === '' && url.password === '' ? undefined : basicAuthorization(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url, authorization };
}

/** Returns the fault of an address, without the address. */
export function findUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'no absolute address';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `an address that begins with ${url.protocol}`;
  }
  return isEncoded(url.username) && isEncoded(url.password)
    ? undefined
    : 'an address with a user or password that is not percent-encoded';
}

function isEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false; // invalid percent-encoding
  }
}

function basicAuthorization({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}

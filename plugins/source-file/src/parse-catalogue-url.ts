import { urlInvalid } from './errors.ts';

export interface CatalogueUrl {
  /** Without user, password and fragment. */
  readonly url: URL;
  /** Value of the `Authorization` header for the origin of `url`; undefined without user and password. */
  readonly authorization: string | undefined;
}

/**
 * Splits the configured address into what is requested and what is kept back.
 * Throws ERR_SOURCE_FILE_URL, never with the address in the message: it may
 * hold a secret.
 */
export function parseCatalogueUrl(text: string): CatalogueUrl {
  const url = URL.parse(text);
  if (url === null) throw urlInvalid('no absolute address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw urlInvalid(`an address that begins with ${url.protocol}`);
  }
  const authorization = url.username === '' && url.password === '' ? undefined : basicAuthorization(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url, authorization };
}

function basicAuthorization(url: URL): string {
  try {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
  } catch (error) {
    throw urlInvalid('a user or password that is not percent-encoded', error);
  }
}

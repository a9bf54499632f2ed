import type { KindProblem } from '@portolan/plugin-api';

type EndpointFault = Omit<KindProblem, 'place'>;

const API_PATH = /\/v0(?:\.1)?(?:\/servers)?\/*$/;

/** Returns the fault of the configured address, without secrets; undefined when there is none. */
export function findEndpointFault(text: string): EndpointFault | undefined {
  const expected = 'an http or https address of a host and a path';
  const url = URL.parse(text);
  if (url === null) return { found: 'no absolute address', expected };
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { found: `an address that begins with ${url.protocol}`, expected };
  if (url.username !== '' || url.password !== '')
    return { found: 'an address with a user or password', expected: `${expected}, without them` };
  if (/[?#]/.test(text)) return { found: 'an address with a query or a fragment', expected };
  if (!API_PATH.test(url.pathname)) return undefined;
  return {
    found: `an address that ends with ${API_PATH.exec(url.pathname)?.[0]}`,
    expected: 'the address of the registry without the API version, which is added',
    didYouMean: url.origin + url.pathname.replace(API_PATH, ''),
  };
}

/** Returns the base address of the API, with a slash at its end. */
export function baseOf(endpoint: string): URL {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/`;
  return url;
}

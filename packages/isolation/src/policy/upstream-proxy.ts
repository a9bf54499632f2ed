import { type EgressTarget, readNoProxy } from '@portolan/outbound';
import { upstreamProxyInvalid } from '../errors.ts';

export interface UpstreamProxies {
  readonly secure: URL | undefined;
  readonly plain: URL | undefined;
  readonly isExempt: (target: EgressTarget) => boolean;
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, lower case first. Throws ERR_PROXY_INVALID
 * without the URL, which may contain a password.
 */
export function readUpstreamProxies(
  environment: Readonly<Record<string, string | undefined>>,
): UpstreamProxies {
  const find = (...names: readonly string[]): URL | undefined => {
    for (const name of names.flatMap((one) => [one, one.toUpperCase()])) {
      const value = environment[name];
      if (value !== undefined && value !== '') return readProxyUrl(name, value);
    }
    return undefined;
  };
  const isExempt = readNoProxy(environment['no_proxy'] ?? environment['NO_PROXY'] ?? '');
  return {
    secure: find('https_proxy', 'all_proxy'),
    plain: find('http_proxy', 'all_proxy'),
    isExempt: ({ host, port }) => isExempt(host.text, port),
  };
}

function readProxyUrl(variable: string, value: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw upstreamProxyInvalid(variable);
  return url;
}

export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

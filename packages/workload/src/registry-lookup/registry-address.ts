import { registryAddressUnusable } from './lookup-errors.ts';

/**
 * The URL of a registry, without a slash at its end. Only https, unless private
 * addresses are allowed. Throws ERR_LOOKUP_ADDRESS; user name, password and
 * query are not shown.
 */
export function parseRegistryUrl(text: string, { allowPrivate }: { readonly allowPrivate: boolean }): URL {
  const example = 'Write it like https://registry.acme.example/registry/main.';
  const url = URL.parse(text);
  if (url === null || url.hostname === '') throw registryAddressUnusable('named', 'it is no URL', example);
  const shown = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw registryAddressUnusable(shown, `it begins with ${url.protocol}, expected https:`, example);
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Leave them out, and name a file with a token in PORTOLAN_REGISTRY_TOKEN_FILE.';
    throw registryAddressUnusable(shown, 'the URL holds a user name or password', hint);
  }
  if (url.protocol === 'http:' && !allowPrivate) {
    const hint = 'Use https, or allow it with `portolan config set-registry --allow-private-ip`.';
    throw registryAddressUnusable(shown, 'what it answers could be changed on its way', hint);
  }
  url.hash = '';
  return url;
}

/**
 * The base of a registry API: what stands before `/v0.1`. A URL that has the
 * version, or the list of servers, at its end means the same.
 */
export function apiBaseOf(url: URL): URL {
  const base = new URL(url);
  base.search = '';
  base.pathname = base.pathname.replace(/\/+$/, '').replace(/\/v0(?:\.1)?(?:\/servers)?$/, '');
  return base;
}

/** An address below the base; its segments are escaped by the caller. */
export function apiAddress(
  base: URL,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, '')}/v0.1/${path}`;
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Loopback addresses and their names (RFC 6761, section 6.3): what is sent there stays on this machine. */
export function isThisMachine({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}

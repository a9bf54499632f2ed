/*
 * The only module that resolves a text against a base address. `new URL(text, base)` takes the host from a
 * text that begins with two slashes or backslashes, so a path from another party could lead to any host.
 */

/** Characters that the URL parser may strip, which could turn an inner slash into the beginning. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /[\u0000-\u001f\u007f\u2028\u2029\ufeff]|^ | $/;

/**
 * Returns a copy of `base` with this path and query, without a fragment. Throws a TypeError when
 * `findPathFault` refuses the path.
 */
export function joinAddress(base: URL, path: string): URL {
  const fault = findPathFault(path);
  if (fault !== undefined) throw new TypeError(`the path of an address ${fault}`);
  const at = path.indexOf('?');
  const joined = new URL(base);
  joined.pathname = at < 0 ? path : path.slice(0, at);
  // Each assignment to a part of a URL parses the URL again, so set only what differs.
  const search = at < 0 ? '' : path.slice(at);
  if (joined.search !== search) joined.search = search;
  if (joined.hash !== '') joined.hash = '';
  return joined;
}

/**
 * Returns what is wrong with a path and query, or undefined when `joinAddress` accepts them. A valid path
 * begins with exactly one slash, also after `.` and `..` segments are removed.
 */
export function findPathFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'does not begin with a slash';
  if (UNSAFE.test(path)) return 'holds a control character';
  if (path.includes('#')) return 'holds a fragment';
  const at = path.indexOf('?');
  const pathname = at < 0 ? path : path.slice(0, at);
  return beginsTwice(pathname) || beginsTwice(removeDots(pathname)) ? 'begins with two slashes' : undefined;
}

/** Returns a path as a URL would contain it. Only dot segments and backslashes change its beginning. */
function removeDots(pathname: string): string {
  if (!/\\|\/(?:\.|%2e)/i.test(pathname)) return pathname;
  const probe = new URL('http://any.invalid/');
  probe.pathname = pathname;
  return probe.pathname;
}

/**
 * Resolves a reference at `base` (RFC 3986, section 5). Undefined when it is invalid, names a host without a
 * scheme, contains credentials or control characters, or has a path that `joinAddress` refuses. An absolute
 * reference may lead to another host, so compare the origin before use.
 */
export function resolveReference(base: URL, reference: string): URL | undefined {
  if (UNSAFE.test(reference) || beginsTwice(reference)) return undefined;
  const url = URL.parse(reference, base.href);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return beginsTwice(url.pathname) ? undefined : url;
}

function beginsTwice(text: string): boolean {
  return /^[/\\]{2}/.test(text);
}

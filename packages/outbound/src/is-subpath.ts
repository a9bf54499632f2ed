/**
 * Returns whether `address` equals `parent` or is below it: same origin, and the path continues at a segment
 * boundary.
 */
export function isSubpath(address: URL, parent: URL): boolean {
  if (address.origin !== parent.origin || parent.origin === 'null') return false;
  const path = parent.pathname.replace(/\/+$/, '');
  return address.pathname === path || address.pathname.startsWith(`${path}/`);
}

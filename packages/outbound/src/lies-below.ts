/** Returns whether an address equals another or is below it: same origin, at a segment boundary. */
export function liesBelow(address: URL, parent: URL): boolean {
  if (address.origin !== parent.origin || parent.origin === 'null') return false;
  const path = parent.pathname.replace(/\/+$/, '');
  return address.pathname === path || address.pathname.startsWith(`${path}/`);
}

/** Whether an address is another one, or stands below it: of the same origin, at the border of a segment. */
export function liesBelow(address: URL, parent: URL): boolean {
  if (address.origin !== parent.origin || parent.origin === 'null') return false;
  const path = parent.pathname.replace(/\/+$/, '');
  return address.pathname === path || address.pathname.startsWith(`${path}/`);
}

/**
 * Returns the server's address: `https://acme.example` for `https://acme.example/registry/main/v0.1/servers`,
 * including a path prefix. Any other address only loses a trailing slash.
 */
export function serverBaseOf(registry: URL): URL {
  const base = new URL(registry);
  [base.search, base.hash] = ['', ''];
  base.pathname = base.pathname
    .replace(/\/+$/, '')
    .replace(/\/v0(?:\.1)?(?:\/servers(?:\/.*)?)?$/, '')
    .replace(/\/registry\/[^/]+$/, '')
    .replace(/\/+$/, '');
  return base;
}

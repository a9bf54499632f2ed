/**
 * The address of the server that a registry is of: `https://acme.example` for
 * `https://acme.example/registry/main/v0.1/servers`, with whatever path stands
 * before. An address that is no registry's stays as it is, without a slash at its end.
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

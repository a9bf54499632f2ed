/** Hosts of Microsoft Entra ID and its national clouds. */
const ENTRA_HOSTS: ReadonlySet<string> = new Set([
  'login.microsoftonline.com',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.chinacloudapi.cn',
]);

/** First part of an address for people of any tenant, in place of the id of one. */
const ANY_TENANT = /^\/(?:common|organizations|consumers)(?:\/|$)/i;

/**
 * Returns whether an issuer is that of no tenant: `https://login.microsoftonline.com/common/v2.0`. Its metadata names
 * `…/{tenantid}/v2.0`, and tokens name their tenant, so that no token is of this issuer. The form with `/v2.0` is known
 * at any host: proxies and other clouds have it too.
 */
export function isTenantless(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || !ANY_TENANT.test(url.pathname)) return false;
  return ENTRA_HOSTS.has(url.hostname) || /^\/[^/]+\/v2\.0\/?$/.test(url.pathname);
}

/** Returns whether the issuer that metadata names has a placeholder for the tenant: `…/{tenantid}/v2.0`. */
export function namesTenantTemplate(issuer: unknown): boolean {
  return typeof issuer === 'string' && /\{tenant(?:id)?\}/i.test(issuer);
}

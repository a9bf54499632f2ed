const ENTRA_HOSTS: ReadonlySet<string> = new Set([
  'login.microsoftonline.com',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.chinacloudapi.cn',
]);

/** First path segment of an issuer for any tenant. */
const ANY_TENANT = /^\/(?:common|organizations|consumers)(?:\/|$)/i;

/**
 * Returns whether an issuer is for any tenant: `https://login.microsoftonline.com/common/v2.0`. Its metadata
 * names `…/{tenantid}/v2.0`, so no token is of this issuer. The form with `/v2.0` counts for any host.
 */
export function isTenantless(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || !ANY_TENANT.test(url.pathname)) return false;
  return ENTRA_HOSTS.has(url.hostname) || /^\/[^/]+\/v2\.0\/?$/.test(url.pathname);
}

export function namesTenantTemplate(issuer: unknown): boolean {
  return typeof issuer === 'string' && /\{tenant(?:id)?\}/i.test(issuer);
}

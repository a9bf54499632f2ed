/** Matches paths that the proxy handles itself and does not forward. */
const OWN_PATHS = /^\/(?:health|metrics|\.well-known(?:\/.*)?)$/;

/** Returns what was expected of an invalid target path; undefined for a valid one. */
export function findTargetPathFault(text: string): string | undefined {
  const url = /^\/(?!\/)/.test(text) ? URL.parse(`http://localhost${text}`) : null;
  if (url === null || url.pathname + url.search !== text || /[{}]|%7[bd]/i.test(url.pathname))
    return 'a path such as /tools/mcp, other characters than those of a URL as %XX';
  if (OWN_PATHS.test(url.pathname))
    return 'a path other than /health, /metrics and /.well-known/…, which Portolan serves itself';
  return undefined;
}

export interface HostPattern {
  /** Host as a URL contains it: lower case, IPv6 in brackets. */
  readonly host: string;
  readonly below: boolean;
}

/**
 * Parses `files.acme.example`, `*.acme.example`, `192.0.2.7` or `[2001:db8::1]`. Undefined for other text.
 */
export function parseHostPattern(text: string): HostPattern | undefined {
  const below = text.startsWith('*.');
  const host = normalHost(below ? text.slice(2) : text);
  if (host === undefined) return undefined;
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host);
  return below && isAddress ? undefined : { host, below };
}

export function matchesHost(hostname: string, patterns: readonly HostPattern[]): boolean {
  const host = normalHost(hostname);
  return (
    host !== undefined &&
    patterns.some((pattern) => (pattern.below ? host.endsWith(`.${pattern.host}`) : host === pattern.host))
  );
}

/** Returns a host as the URL parser normalizes it, without a trailing dot. Undefined for an invalid host. */
function normalHost(text: string): string | undefined {
  if (!/^(?:[^\s/?#@:*%\\[\]]+|\[[\da-f:.]+\])$/i.test(text)) return undefined;
  const hostname = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, '');
  return hostname === '' ? undefined : hostname;
}

/** Which hosts a pattern stands for: one, or all names below one. */
export interface HostPattern {
  /** As addresses have it: in small letters, IPv6 in brackets. */
  readonly host: string;
  readonly below: boolean;
}

/** `files.acme.example`, `*.acme.example`, `192.0.2.7`, `[2001:db8::1]`; undefined for what is no such pattern. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const below = text.startsWith('*.');
  const host = normalHost(below ? text.slice(2) : text);
  if (host === undefined) return undefined;
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host);
  return below && isAddress ? undefined : { host, below };
}

/** Whether a host, as it stands in an address, is one of those that patterns stand for. */
export function matchesHost(hostname: string, patterns: readonly HostPattern[]): boolean {
  const host = normalHost(hostname);
  return (
    host !== undefined &&
    patterns.some((pattern) => (pattern.below ? host.endsWith(`.${pattern.host}`) : host === pattern.host))
  );
}

/** As the parser of addresses writes it, without the dot at the end that means the same name; undefined for no host. */
function normalHost(text: string): string | undefined {
  if (!/^(?:[^\s/?#@:*%\\[\]]+|\[[\da-f:.]+\])$/i.test(text)) return undefined;
  const hostname = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, '');
  return hostname === '' ? undefined : hostname;
}

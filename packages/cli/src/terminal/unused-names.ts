/** Time in milliseconds within which a program normally connects after a DNS look-up. */
const SOON_MS = 10_000;

/**
 * Host names in a network log that a workload resolved but never connected to. This happens with a server
 * that refuses host names with private addresses.
 */
export class UnusedNames {
  readonly #lookedUp = new Map<string, number>();

  /** Reads a raw line of the network log. Lines must be passed oldest first. */
  see(line: string): void {
    const event = parse(line);
    if (event === undefined) return;
    const { host, method, allowed, time } = event;
    if (typeof host !== 'string') return;
    if (method !== 'DNS') this.#lookedUp.delete(host);
    else if (allowed === true && typeof time === 'string') this.#lookedUp.set(host, Date.parse(time));
  }

  list(now: Date): readonly string[] {
    return [...this.#lookedUp].filter(([, at]) => now.getTime() - at > SOON_MS).map(([host]) => host);
  }
}

/** Returns a hint about host names without a connection; undefined if there are none. */
export function hintAtGuards(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and others` : names.join(', ');
  return (
    `hint: resolved but never connected to: ${shown}. A server that rejects private addresses ` +
    'also rejects the addresses at which an isolated workload reaches host names; see docs/guides/protect/private-addresses.md.'
  );
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // truncated, or not written by Portolan
  }
}

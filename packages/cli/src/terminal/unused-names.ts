/** A program that has looked a name up connects at once. */
const SOON_MS = 10_000;

/**
 * Names that a workload was let look up and then never connected to, from the
 * lines of its network log: so it goes with a server that refuses names whose
 * address is not public.
 */
export class UnusedNames {
  readonly #lookedUp = new Map<string, number>();

  /** Takes a line as it stands in the log, oldest first. */
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

/** Undefined where there is nothing to be said. */
export function hintAtGuards(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and others` : names.join(', ');
  return (
    `hint: looked up and never connected to: ${shown}. A server that guards itself against private addresses ` +
    'refuses the addresses by which an isolated workload reaches names; see "Servers that refuse private addresses" in docs/workloads.md.'
  );
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // cut off, or not of ours
  }
}

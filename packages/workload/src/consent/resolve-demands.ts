import type { ConsentFacts, Demands } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/** Maximum total time of all DNS look-ups of one run in milliseconds. */
const MAX_LOOKUP_MS = 3000;

/**
 * Maximum number of DNS look-ups at the same time. Each look-up may block a thread of the process for a long
 * time.
 */
const MAX_LOOKUPS = 2;

/**
 * Returns the demands after DNS look-ups of the host names in them. A name that does not resolve within
 * `maxMs` milliseconds counts as possibly private, even if an earlier run resolved it. After `maxMs` no
 * further look-up starts, but running look-ups cannot be aborted. Rejects with the reason of the signal.
 */
export async function resolveDemands(
  find: (addressesOf: ConsentFacts['addressesOf']) => Demands,
  { lookUpHost, logger }: Pick<WorkloadContext, 'lookUpHost' | 'logger'>,
  signal: AbortSignal,
  maxMs = MAX_LOOKUP_MS,
): Promise<Demands> {
  const names = new Set<string>();
  const unresolved = find((hostname) => {
    names.add(hostname);
    return [];
  });
  if (names.size === 0) return unresolved;
  const demands = new Map<string, readonly string[]>();
  const lookUp = async (hostname: string): Promise<void> => {
    try {
      demands.set(hostname, await lookUpHost(hostname));
    } catch (error) {
      logger.debug({ err: error, hostname }, 'a host name of an entry or a file does not resolve');
    }
  };
  const waiting = [...names];
  const lookUpNext = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await lookUp(name);
  };
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const timer = setTimeout(end, maxMs);
  const abort = (): void => end();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([Promise.all(Array.from({ length: MAX_LOOKUPS }, lookUpNext)), over]);
  } finally {
    waiting.length = 0;
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
  return find((hostname) => demands.get(hostname));
}

import type { EntryCount, MetricsOptions } from './server-metrics.ts';

const KEPT_MS = 30_000;
const KEPT_AFTER_ERROR_MS = 5000;
const LIMIT_MS = 5000;

/**
 * Counts entries for scrapes: a count is used for 30 s, so that scraping often
 * costs the database nothing. A count that fails, or takes longer than `limitMs`,
 * is logged, leaves the series out and is tried again after 5 s.
 */
export function createEntryCounter(
  options: Pick<MetricsOptions, 'countEntries' | 'logger' | 'clock'>,
  limitMs = LIMIT_MS,
): () => Promise<readonly EntryCount[]> {
  const { countEntries, logger, clock } = options;
  let known: Promise<readonly EntryCount[]> = Promise.resolve([]);
  let usableUntilMs = Number.NEGATIVE_INFINITY;

  const count = async (): Promise<readonly EntryCount[]> => {
    try {
      return countEntries === undefined ? [] : await within(limitMs, countEntries());
    } catch (error) {
      usableUntilMs = clock().getTime() + KEPT_AFTER_ERROR_MS;
      logger.warn({ err: error }, 'entries could not be counted');
      return [];
    }
  };

  return () => {
    const nowMs = clock().getTime();
    if (nowMs >= usableUntilMs) {
      usableUntilMs = nowMs + KEPT_MS;
      known = count();
    }
    return known;
  };
}

async function within<T>(limitMs: number, counting: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no count within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([counting, late]);
  } finally {
    clearTimeout(timer);
  }
}

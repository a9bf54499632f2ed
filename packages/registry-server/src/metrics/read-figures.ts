import type { MetricsOptions, SourceFigures } from './server-metrics.ts';

const KEPT_MS = 30_000;
const KEPT_AFTER_ERROR_MS = 5000;
const LIMIT_MS = 5000;

/**
 * Returns a function that reads the numbers of sources from the database. Results are cached for 30 s, so
 * that frequent scrapes do not load the database. A read that fails or exceeds `limitMs` is logged and
 * retried after 5 s; until then, its metrics are missing.
 */
export function createFigureReader(
  options: Pick<MetricsOptions, 'readFigures' | 'logger' | 'nowMs'>,
  limitMs = LIMIT_MS,
): () => Promise<readonly SourceFigures[]> {
  const { readFigures, logger, nowMs = () => performance.now() } = options;
  let known: Promise<readonly SourceFigures[]> = Promise.resolve([]);
  let usableUntilMs = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<readonly SourceFigures[]> => {
    try {
      return readFigures === undefined ? [] : await within(limitMs, readFigures());
    } catch (error) {
      usableUntilMs = nowMs() + KEPT_AFTER_ERROR_MS;
      logger.warn({ err: error }, 'cannot count entries');
      return [];
    }
  };

  return () => {
    if (nowMs() >= usableUntilMs) {
      usableUntilMs = nowMs() + KEPT_MS;
      known = read();
    }
    return known;
  };
}

async function within<T>(limitMs: number, reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no count within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

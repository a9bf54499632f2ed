/** SQLSTATE: serialization failure, deadlock, lock timeout. */
const CONTENTION = new Set(['40001', '40P01', '55P03']);

/** Returns whether a transaction failed only because of concurrent writes, so that a retry may succeed. */
export function isContention(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONTENTION.has(String(error.code));
}

/** SQLSTATE of what PostgreSQL ends so that others can go on: serialization failure, deadlock, lock timeout. */
const CONTENTION = new Set(['40001', '40P01', '55P03']);

/** Whether a transaction failed only because of what others were writing: the same again may succeed. */
export function isContention(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONTENTION.has(String(error.code));
}

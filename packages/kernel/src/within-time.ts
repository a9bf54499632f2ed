import { tookTooLong } from './errors.ts';

/** Most time for one call into a plugin, or for a configuration that is code to load. */
export const PATIENCE_MS = 30_000;

/**
 * What the call answers. Rejects when that takes longer than the limit; whatever
 * it does then is not waited for. The process stays alive meanwhile: without it,
 * Node.js ends silently when all that is left is a promise that nobody settles.
 */
export async function withinTime<T>(call: () => T | PromiseLike<T>, limitMs = PATIENCE_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tookTooLong(limitMs)), limitMs);
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}

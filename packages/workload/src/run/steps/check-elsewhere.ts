import type { RunConfig } from '@portolan/run-spec';

/**
 * Checks policies in another process: what their kinds tell of them, or undefined
 * where it does not say that all of them can be used. Never rejects.
 */
export type PolicyChecker = (policies: RunConfig) => Promise<readonly string[] | undefined>;

/**
 * Has policies checked by somebody else, if there is anybody. Undefined where they have to be checked here, which
 * also says what is wrong with them. Throws the reason of the signal.
 */
export async function checkedElsewhere(
  policies: RunConfig,
  check: PolicyChecker | undefined,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (check === undefined) return undefined;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([check(policies), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

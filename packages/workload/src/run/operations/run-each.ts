import type { PortolanError } from '@portolan/plugin-api';
import { hintForWorkload } from '../hint-of-workload.ts';
import { codedError, operationTooLong } from '../run-errors.ts';

export const OPERATION_LIMIT_MS = 5 * 60_000;
/** Maximum delay of a timer in milliseconds; means "no timeout". */
export const WITHOUT_LIMIT_MS = 2 ** 31 - 1;
const AT_ONCE = 8;

export interface EachOptions {
  /** Verb that messages begin with, such as `Stopping`. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  /** Maximum number of concurrent actions; default 8. */
  readonly atOnce?: number;
}

/**
 * Runs an action on several workloads concurrently, each with its own timeout. Returns results in the order
 * of the names. Rejects only with the signal's reason.
 */
export async function runEach<Result>(
  names: readonly string[],
  action: (name: string, signal: AbortSignal) => Promise<Result>,
  failed: (name: string, error: PortolanError) => Result,
  { what, signal, limitMs = OPERATION_LIMIT_MS, atOnce = AT_ONCE }: EachOptions,
): Promise<readonly Result[]> {
  const waiting = [...new Set(names)].entries();
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    for (const [index, name] of waiting) {
      const limit = AbortSignal.timeout(limitMs);
      try {
        results[index] = await action(name, AbortSignal.any([signal, limit]));
      } catch (error) {
        signal.throwIfAborted();
        results[index] = failed(
          name,
          limit.aborted ? operationTooLong(what, name, limitMs) : hintForWorkload(name, codedError(error)),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

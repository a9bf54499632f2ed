import type { OperationResult } from '@portolan/workload';
import { workloadsFailed } from './terminal-errors.ts';
import { describeError } from './report-error.ts';

/**
 * Prints the results of an operation on several workloads. Throws the error if there was one workload, and
 * ERR_WORKLOADS_FAILED after the lines if there were more.
 */
export function reportResults(
  results: readonly OperationResult[],
  words: { readonly done: string; readonly unchanged: string },
  { debug, tell }: { readonly debug: boolean; readonly tell: (lines: readonly string[]) => void },
): void {
  const failed = results.flatMap(({ name, error }) => (error === undefined ? [] : [{ name, error }]));
  for (const { name, error, changed, notes } of results) {
    tell(notes.map((note) => `note: ${name}: ${note}`));
    if (error === undefined) tell([`${name} ${changed ? words.done : words.unchanged}`]);
    else if (results.length > 1) tell([`${name}: ${describeError(error, { debug }).trimEnd()}`]);
  }
  const [first] = failed;
  if (first === undefined) return;
  if (results.length === 1) throw first.error;
  throw workloadsFailed(failed.length, results.length);
}

import { entriesRefused, serverRefused } from './publish-errors.ts';
import { printSummary, resultLines } from './publish-report.ts';
import type { PublishReport } from './publish-file.ts';
import { type Asking, issueLines, refusalError } from './refusal-error.ts';

/** Returns the final output of the command; undefined when only an error remains to be reported. */
export function endText(
  { from, results, summary, sent }: PublishReport,
  { dryRun }: { readonly dryRun: boolean },
): string | undefined {
  if (!sent) return undefined;
  if (from === 'catalogue') return printSummary(summary, { dryRun });
  const done = results.find(({ outcome }) => outcome === 'published' || outcome === 'valid');
  return done === undefined ? undefined : resultLines(done).join('\n');
}

/** Returns the error with which the command ends; undefined on success. */
export function endError(
  { from, results, summary, refusal, stopped }: PublishReport,
  client: Asking,
): Error | undefined {
  if (stopped !== undefined) return stopped;
  if (from === 'document' && refusal !== undefined) return refusalError(refusal, client);
  if (summary.refused === 0) return undefined;
  if (from === 'catalogue') return entriesRefused(summary.refused, results.length);
  const lines = results.flatMap(({ error = '', issues = [] }) => [
    error,
    ...issueLines(issues).map((line) => `  ${line}`),
  ]);
  return serverRefused(lines.join('\n'), undefined);
}

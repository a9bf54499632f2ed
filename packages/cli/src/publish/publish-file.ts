import type { EntryType, PortolanError, ResourceClaims } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import type { Refusal, ServerClient } from '@portolan/registry-client';
import { entriesInvalid } from './publish-errors.ts';
import { type CheckedEntry, checkPublications, problemLines, withDemands } from './check-publications.ts';
import { addDefinitions, describeDefinitions, type WorkloadDefinitions } from './add-definitions.ts';
import { formatDemands } from '../terminal/format/format-grants.ts';
import { ProgressLine, type ProgressOutput } from '../terminal/progress-line.ts';
import { invalidEntry, publishEntries, type PublishResult } from './publish-entries.ts';
import { printSubject, type PublishSummary, resultLines, summarize } from './publish-report.ts';
import { nameOfInput } from '../terminal/read-input.ts';
import { readPublications } from './read-publications.ts';

export interface PublishFileOptions {
  readonly client: ServerClient;
  readonly file: string;
  readonly type: EntryType | undefined;
  readonly claims: ResourceClaims | undefined;
  readonly source: string | undefined;
  readonly dryRun: boolean;
  /**
   * Whether to publish the valid entries when others violate rules. By default, nothing is published then.
   */
  readonly skipInvalid: boolean;
  /** Definitions to add to the entry; undefined publishes the file as it is. */
  readonly definitions?: WorkloadDefinitions | undefined;
  readonly stdin: Readable;
  readonly output: ProgressOutput;
  /** Whether to print a line for each successful entry. */
  readonly tellsAll: boolean;
  readonly now: Date;
}

export interface PublishReport {
  readonly from: 'catalogue' | 'document';
  readonly results: readonly PublishResult[];
  readonly summary: PublishSummary;
  /** False when nothing was sent, because entries violate rules. */
  readonly sent: boolean;
  readonly refusal: Refusal | undefined;
  /** Error that ended the command before every entry was tried. */
  readonly stopped: Error | undefined;
}

const MAX_WARNINGS = 20;
const MAX_SHOWN_DEMANDS = 20;

/**
 * Publishes the entries of a file; a dry run only lets the server validate them. Throws ERR_ENTRY_FILE. The
 * report contains every other error, with the results up to it. ERR_NAMED_FILE means that nothing was sent.
 */
export async function publishFile(options: PublishFileOptions): Promise<PublishReport> {
  const { file, type, stdin, skipInvalid, output, definitions } = options;
  const read = await readPublications(file, { type, stdin });
  const { from, entries: matches } = definitions === undefined ? read : addDefinitions(read, definitions);
  const entries = withDemands(checkPublications(matches, options.now));
  const faulty = entries.filter(({ errors }) => errors.length > 0);
  if (faulty.length > 0 && (from === 'document' || !skipInvalid)) {
    const results = faulty.map((entry) => invalidEntry(entry));
    const stopped = faultsOf(nameOfInput(file), faulty, entries.length);
    const summary = summarize(results, entries.length);
    return { from, results, summary, sent: false, refusal: undefined, stopped };
  }
  const progress = new ProgressLine(output);
  if (definitions !== undefined) progress.print([`definitions of ${describeDefinitions(definitions)}`]);
  progress.print(warningLines(entries));
  progress.print(demandLines(entries));
  return { from, sent: true, ...(await publishAll(entries, progress, { ...options, from })) };
}

function faultsOf(file: string, faulty: readonly CheckedEntry[], all: number): PortolanError {
  const problems = faulty.flatMap(({ errors }) => errors);
  const number = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const where = all === 1 ? '' : ` in ${faulty.length} of ${all} entries`;
  return entriesInvalid(`${file} has ${number}${where}; nothing was sent`, problemLines(problems));
}

function warningLines(entries: readonly CheckedEntry[]): readonly string[] {
  const warnings = entries.flatMap((entry) => entry.warnings);
  const more = warnings.length - MAX_WARNINGS;
  return [
    ...problemLines(warnings.slice(0, MAX_WARNINGS)).map((line) => `warning: ${line.trimStart()}`),
    ...(more > 0 ? [`warning: and ${more} more`] : []),
  ];
}

/** Returns the lines that show a publisher what the entries ask their users to grant. */
function demandLines(entries: readonly CheckedEntry[]): readonly string[] {
  const asking = entries.flatMap(({ name, place, demands }) =>
    demands === undefined ? [] : [formatDemands(`${name ?? place} asks its users for:`, demands)],
  );
  const more = asking.length - MAX_SHOWN_DEMANDS;
  return [
    ...asking.slice(0, MAX_SHOWN_DEMANDS).flat(),
    ...(more > 0 ? [`and ${more} more entries that ask their users`] : []),
  ];
}

type PublishOptions = PublishFileOptions & Pick<PublishReport, 'from'>;

async function publishAll(
  entries: readonly CheckedEntry[],
  progress: ProgressLine,
  options: PublishOptions,
): Promise<Omit<PublishReport, 'from' | 'sent'>> {
  const results: PublishResult[] = [];
  let refusal: Refusal | undefined;
  let stopped: Error | undefined;
  try {
    for await (const published of publishEntries(entries, options)) {
      results.push(published.result);
      refusal = published.refusal ?? refusal;
      if (options.from === 'catalogue') tell(published.result, progress, options);
      progress.show(`[${results.length}/${entries.length}] ${printSubject(published.result)}`);
    }
  } catch (error) {
    stopped = error instanceof Error ? error : new Error(String(error));
  } finally {
    progress.clear();
  }
  return { results, summary: summarize(results, entries.length), refusal, stopped };
}

/** Prints a failed result always. Prints a successful one only if no progress line shows it. */
function tell(result: PublishResult, progress: ProgressLine, { tellsAll }: PublishOptions): void {
  const wentWell = ['published', 'exists', 'valid'].includes(result.outcome);
  if (!wentWell || (tellsAll && !progress.isLive)) progress.print(resultLines(result));
}

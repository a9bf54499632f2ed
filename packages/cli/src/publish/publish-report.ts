import { issueLines } from './refusal-error.ts';
import { printable } from '../terminal/printable.ts';
import type { PublishResult } from './publish-entries.ts';

export interface PublishSummary {
  readonly published: number;
  readonly exists: number;
  readonly valid: number;
  /** Entries that the server refused, and invalid ones, which were not sent. */
  readonly refused: number;
  readonly notTried: number;
}

const WORDS: Readonly<Record<PublishResult['outcome'], string>> = {
  published: 'published',
  exists: 'already there',
  refused: 'refused',
  invalid: 'invalid',
  valid: 'valid',
};

/** Counts the results; `all` is the number of entries in the file. */
export function summarize(results: readonly PublishResult[], all: number): PublishSummary {
  const count = (...outcomes: readonly PublishResult['outcome'][]): number =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    published: count('published'),
    exists: count('exists'),
    valid: count('valid'),
    refused: count('refused', 'invalid'),
    notTried: all - results.length,
  };
}

/** Returns `12 published, 3 already there, 1 refused`, without zero counts other than the first. */
export function printSummary(summary: PublishSummary, { dryRun }: { readonly dryRun: boolean }): string {
  const first = dryRun ? `${summary.valid} valid` : `${summary.published} published`;
  const others = [
    [summary.exists, 'already there'],
    [summary.refused, 'refused'],
    [summary.notTried, 'not tried'],
  ] as const;
  const parts = others.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`]));
  return [first, ...parts].join(', ');
}

/** Returns type, name and version of an entry; its place if the name is unknown. */
export function printSubject({ type, name, version, place }: PublishResult): string {
  const known = [type, name, version].filter((part) => part !== null);
  return printable(name === null ? place : known.join(' '));
}

/** Formats one result: the outcome, then lines with the reasons. */
export function resultLines(result: PublishResult): readonly string[] {
  const { outcome, error, hint, issues = [] } = result;
  const head = `${WORDS[outcome]}  ${printSubject(result)}`;
  // Warnings are not repeated. They were printed when the file was read, and the server has the same rules.
  if (['published', 'exists', 'valid'].includes(outcome)) return [head];
  return [
    error === undefined ? head : `${head}: ${printable(error)}`,
    ...issueLines(issues).map((line) => `  ${line}`),
    ...(hint === undefined ? [] : [`  hint: ${printable(hint)}`]),
  ];
}

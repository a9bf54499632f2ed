import { issueLines } from './refusal-error.ts';
import { printable } from '../terminal/printable.ts';
import type { PublishResult } from './publish-entries.ts';

/** How many entries came to which end. */
export interface PublishSummary {
  readonly published: number;
  readonly exists: number;
  readonly valid: number;
  /** Those the server did not take, and those that were not sent because they break rules. */
  readonly refused: number;
  /** Never tried, because the command had to end before. */
  readonly notTried: number;
}

const WORDS: Readonly<Record<PublishResult['outcome'], string>> = {
  published: 'published',
  exists: 'already there',
  refused: 'refused',
  invalid: 'invalid',
  valid: 'valid',
};

/** Counts the results of `all` entries. */
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

/** `12 published, 3 already there, 1 refused`: what there is none of is left out, but for the first. */
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

/** One entry, by type, name and version where they are known, else by its place. */
export function printSubject({ type, name, version, place }: PublishResult): string {
  const known = [type, name, version].filter((part) => part !== null);
  return printable(name === null ? place : known.join(' '));
}

/** One result in lines: the first says what became of the entry, the others why. */
export function resultLines(result: PublishResult): readonly string[] {
  const { outcome, error, hint, issues = [] } = result;
  const head = `${WORDS[outcome]}  ${printSubject(result)}`;
  // Warnings were told when the file was read: the server has the same rules.
  if (['published', 'exists', 'valid'].includes(outcome)) return [head];
  return [
    error === undefined ? head : `${head}: ${printable(error)}`,
    ...issueLines(issues).map((line) => `  ${line}`),
    ...(hint === undefined ? [] : [`  hint: ${printable(hint)}`]),
  ];
}

import type { Position } from './config-path.ts';

/** Problem of a configuration. Never contains the value of a secret field. */
export interface ConfigProblem {
  readonly place: string;
  /** Value that was found, without the word "found". */
  readonly found: string;
  /** Expected value, without the word "expected". */
  readonly expected: string;
  readonly didYouMean?: string;
  readonly isWarning?: true;
  readonly line?: number;
  readonly column?: number;
}

export function configProblem(
  place: string,
  found: string,
  expected: string,
  more: {
    readonly didYouMean?: string | undefined;
    readonly isWarning?: boolean | undefined;
    readonly position?: Position | undefined;
  } = {},
): ConfigProblem {
  return {
    place,
    found,
    expected,
    ...(more.didYouMean === undefined ? {} : { didYouMean: more.didYouMean }),
    ...(more.isWarning === true ? { isWarning: true } : {}),
    ...more.position,
  };
}

/**
 * Formats problems for people: the file, then one aligned line per problem, with suggestions below. Has no
 * final line break.
 */
export function printProblems(file: string, problems: readonly ConfigProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const rows = problems.map((problem) => ({ problem, at: printPosition(problem) }));
  const atWidth = Math.max(0, ...rows.map(({ at }) => at.length));
  const placeWidth = Math.max(0, ...rows.map(({ problem }) => problem.place.length));
  const indent = ' '.repeat(2 + (atWidth === 0 ? 0 : atWidth + 2) + placeWidth + 2);
  const lines = rows.flatMap(({ problem, at }) => {
    const start = atWidth === 0 ? '  ' : `  ${at.padEnd(atWidth)}  `;
    const what = `found ${problem.found}; expected ${problem.expected}`;
    const line = `${start}${problem.place.padEnd(placeWidth)}  ${what}`;
    return problem.didYouMean === undefined
      ? [line]
      : [line, `${indent}did you mean "${problem.didYouMean}"?`];
  });
  return [`${file} has ${count}`, ...lines].join('\n');
}

export function printWarning(problem: ConfigProblem): string {
  const { place, found, expected } = problem;
  const at = printPosition(problem);
  return `${place}${at === '' ? '' : ` (${at})`}: found ${found}; expected ${expected}`;
}

function printPosition({ line, column }: ConfigProblem): string {
  return line === undefined ? '' : `${line}:${column ?? 1}`;
}

export function problemsOf(error: unknown): readonly ConfigProblem[] {
  if (!(error instanceof Error) || !('problems' in error) || !Array.isArray(error.problems)) return [];
  return error.problems;
}

export function warningsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || !('warnings' in error) || !Array.isArray(error.warnings)) return [];
  return error.warnings;
}

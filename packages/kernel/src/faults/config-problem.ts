import type { Position } from './config-place.ts';

/** One thing that is wrong with a configuration. Never holds the value of a secret field. */
export interface ConfigProblem {
  /** `sources[0].git.brnach` */
  readonly place: string;
  /** What was found there, without "found". */
  readonly found: string;
  /** What was expected there, without "expected". */
  readonly expected: string;
  readonly didYouMean?: string;
  /** No reason to refuse the configuration. */
  readonly isWarning?: true;
  readonly line?: number;
  readonly column?: number;
}

/** A problem; optional parts that are undefined are left out. */
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
 * All problems of one file as a person reads them: the file first, then a line
 * for each, in columns (line and column where they are known, place, what is
 * wrong), with a "did you mean" below where there is one. No line break at the end.
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

/** A problem that refuses nothing, as one sentence. */
export function printWarning(problem: ConfigProblem): string {
  const { place, found, expected } = problem;
  const at = printPosition(problem);
  return `${place}${at === '' ? '' : ` (${at})`}: found ${found}; expected ${expected}`;
}

function printPosition({ line, column }: ConfigProblem): string {
  return line === undefined ? '' : `${line}:${column ?? 1}`;
}

/** The problems that an error carries: those of ERR_CONFIG_INVALID, and an empty list for every other one. */
export function problemsOf(error: unknown): readonly ConfigProblem[] {
  if (!(error instanceof Error) || !('problems' in error) || !Array.isArray(error.problems)) return [];
  return error.problems;
}

/** The warnings that an error of `problemsOf` carries beside the problems. */
export function warningsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || !('warnings' in error) || !Array.isArray(error.warnings)) return [];
  return error.warnings;
}

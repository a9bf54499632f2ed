import type { KindProblem, OnlineCheckContext } from '@portolan/plugin-api';
import type { Block } from '../config/plain-data.ts';
import {
  formatConfigPath,
  parseConfigPath,
  type ConfigPath,
  type PositionFinder,
} from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { describeValue } from '../faults/describe-value.ts';
import { kindCheckBroken, kindCheckFailed } from './validation-errors.ts';
import type { SecretValues } from '../logging/secret-values.ts';
import type { KindEntry } from '../kinds/kind-table.ts';

export interface CheckingKind {
  readonly kind: string;
  check?(
    config: Block,
    context: { readonly directory: string; readonly trustsLoopback: boolean },
  ): readonly KindProblem[];
}

export interface CheckContext {
  readonly directory: string;
  readonly secrets: SecretValues;
  readonly positionOf?: PositionFinder;
  /** See `PluginContext.trustsLoopback`. Default: false. */
  readonly trustsLoopback?: boolean;
  readonly input?: unknown;
}

/**
 * Runs the kind's own check on a block that its schema accepts, and returns the problems. The kind gets a
 * copy of the block. Throws ERR_PLUGIN_CHECK when the check throws or returns anything but a list of
 * problems.
 */
export function checkByKind(
  entry: KindEntry<CheckingKind>,
  block: Block,
  place: ConfigPath,
  { directory, secrets, positionOf = () => undefined, input = block, trustsLoopback = false }: CheckContext,
): readonly ConfigProblem[] {
  const { kind } = entry;
  let problems: readonly ReportedProblem[];
  try {
    if (kind.check === undefined) return [];
    problems = readProblems(kind.check(structuredClone(block), { directory, trustsLoopback }));
  } catch (error) {
    throw kindCheckFailed(entry, kind.kind, secrets.maskThrown(error));
  }
  return toProblems(problems, entry, block, place, { secrets, positionOf, input });
}

export interface OnlineCheckingKind {
  readonly kind: string;
  checkOnline?(
    config: Block,
    context: OnlineCheckContext,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
}

/** Runs the kind's check that uses the network, and returns the problems. Throws ERR_PLUGIN_CHECK. */
export async function checkOnlineByKind(
  entry: KindEntry<OnlineCheckingKind>,
  block: Block,
  place: ConfigPath,
  context: OnlineCheckContext & Pick<CheckContext, 'secrets' | 'positionOf'>,
  signal: AbortSignal,
): Promise<readonly ConfigProblem[]> {
  const { kind } = entry;
  const { secrets, positionOf = () => undefined, ...online } = context;
  let problems: readonly ReportedProblem[];
  try {
    if (kind.checkOnline === undefined) return [];
    problems = readProblems(await kind.checkOnline(structuredClone(block), online, signal));
  } catch (error) {
    throw kindCheckFailed(entry, kind.kind, secrets.maskThrown(error));
  }
  return toProblems(problems, entry, block, place, { secrets, positionOf, input: block });
}

function toProblems(
  messages: readonly ReportedProblem[],
  entry: KindEntry<{ readonly kind: string }>,
  block: Block,
  place: ConfigPath,
  { secrets, positionOf, input }: Required<Pick<CheckContext, 'secrets' | 'positionOf' | 'input'>>,
): readonly ConfigProblem[] {
  const { kind } = entry;
  return messages.map((problem) => {
    if ('fault' in problem) throw kindCheckBroken(entry, kind.kind, secrets.mask(problem.fault));
    const at = [...place, ...problem.place];
    const didYouMean = problem.didYouMean === undefined ? undefined : secrets.mask(problem.didYouMean);
    const match = secrets.mask(foundIn(input, block, problem));
    return configProblem(formatConfigPath(at), match, secrets.mask(problem.expected), {
      didYouMean,
      isWarning: problem.isWarning,
      position: positionOf(at),
    });
  });
}

type ProblemAt = Omit<KindProblem, 'place'> & { readonly place: ConfigPath };

type ReportedProblem = ProblemAt | { readonly fault: string };

/**
 * Returns what a problem of a kind found, from the user's view: a default value counts as a missing setting.
 * The kind itself cannot tell defaults from values in the file.
 */
function foundIn(input: unknown, block: Block, { place, found }: Pick<ProblemAt, 'place' | 'found'>): string {
  const isDefault = valueAt(input, place) === undefined && JSON.stringify(valueAt(block, place)) === found;
  return isDefault ? `nothing, which stands for ${found}` : found;
}

function valueAt(value: unknown, place: ConfigPath): unknown {
  return place.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/**
 * Reads the problems that a kind returned. Reads each property once, because reading may run code of the
 * plugin.
 */
function readProblems(result: unknown): readonly ReportedProblem[] {
  if (!Array.isArray(result)) {
    const isPromise = result instanceof Promise;
    if (isPromise) result.catch(() => undefined);
    return [{ fault: isPromise ? 'a promise' : describeValue(result) }];
  }
  return result.map((problem: unknown, index) => readProblem(problem, `problem [${index}]`));
}

function readProblem(problem: unknown, name: string): ReportedProblem {
  if (typeof problem !== 'object' || problem === null) {
    return { fault: `${describeValue(problem)} as ${name}` };
  }
  const read = (part: keyof KindProblem): unknown => Reflect.get(problem, part);
  const [place, found, expected, didYouMean, warning] = [
    read('place'),
    read('found'),
    read('expected'),
    read('didYouMean'),
    read('isWarning'),
  ];
  const isWarning = warning === true;
  const at = typeof place === 'string' ? parseConfigPath(place) : undefined;
  if (at === undefined) return { fault: `${name} with ${describeValue(place)} as "place"` };
  if (typeof found !== 'string') return { fault: `${name} with ${describeValue(found)} as "found"` };
  if (typeof expected !== 'string') return { fault: `${name} with ${describeValue(expected)} as "expected"` };
  if (didYouMean === undefined) return { place: at, found, expected, isWarning };
  if (typeof didYouMean === 'string') return { place: at, found, expected, didYouMean, isWarning };
  return { fault: `${name} with ${describeValue(didYouMean)} as "didYouMean"` };
}

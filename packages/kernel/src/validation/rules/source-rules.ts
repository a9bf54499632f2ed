import type { SourceKind } from '@portolan/plugin-api';
import { SOURCE_KEYS } from '../../config/core-schema.ts';
import { isPlainMap } from '../../config/plain-data.ts';
import { formatConfigPath, type ConfigPath } from '../../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../../faults/config-problem.ts';
import { describeValue, oneOf } from '../../faults/describe-value.ts';
import type { KindTable } from '../../kinds/kind-table.ts';
import { durationMs } from './duration-ms.ts';
import { checkUnique, itemsOf } from './named-items.ts';
import type { Report, RuleInput } from './rule.ts';

interface SourceKindInput extends Pick<RuleInput, 'sourceKinds'> {
  readonly kinds: Pick<KindTable, 'sources'>;
}

export function checkSourceRules(
  source: Readonly<Record<string, unknown>>,
  { kinds, sourceKinds }: SourceKindInput,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  checkSource(source, [], { kinds, sourceKinds }, (place, actual, expected) => {
    problems.push(configProblem(formatConfigPath(place), actual, expected));
  });
  return problems;
}

export function checkSources(input: RuleInput, report: Report): void {
  const sources = itemsOf(input.config['sources']);
  checkUnique(sources, 'sources', report);
  for (const [source, index] of sources) checkSource(source, ['sources', index], input, report);
}

function checkSource(
  source: Readonly<Record<string, unknown>>,
  place: ConfigPath,
  { kinds, sourceKinds }: SourceKindInput,
  report: Report,
): void {
  const usedSourceKinds = sourceKinds.filter((kind) => Object.hasOwn(source, kind));
  const [kind] = usedSourceKinds;
  if (kind === undefined && hasOnlyCommonKeys(source)) {
    report(place, 'no kind', `exactly ${oneOf(sourceKinds)}`);
  } else if (usedSourceKinds.length > 1) {
    report(place, usedSourceKinds.join(' and '), 'exactly one kind');
  } else if (kind !== undefined) {
    checkSchedule(source, place, kind, kinds.sources.get(kind)?.kind, report);
  }
}

/**
 * Returns whether a source has no key besides the common ones. Any other key was reported as unknown and may
 * be a misspelt kind, so "no kind" is not reported then.
 */
function hasOnlyCommonKeys(source: object): boolean {
  return Object.keys(source).every((key) => (SOURCE_KEYS as readonly string[]).includes(key));
}

function checkSchedule(
  source: Readonly<Record<string, unknown>>,
  at: ConfigPath,
  kind: string,
  known: SourceKind | undefined,
  report: Report,
): void {
  const policy = source['syncPolicy'];
  const place = [...at, 'syncPolicy', 'interval'];
  if (policy === undefined && known?.claimsFrom === 'source' && !isFixed(known, source[kind])) {
    report(place, 'nothing', `a duration such as 30m: ${kind} is read again and again`);
  }
  const interval = isPlainMap(policy) ? policy['interval'] : undefined;
  if (typeof interval === 'string' && durationMs(interval) === 0) {
    report(place, describeValue(interval), 'a duration above zero');
  }
  if (source['filter'] !== undefined && known?.claimsFrom === 'publisher') {
    report([...at, 'filter'], 'a filter', `none: what is in ${kind} comes by publishing`);
  }
}

/**
 * Returns whether the kind reports that the content of this block never changes. False when the kind throws
 * or cannot tell.
 */
function isFixed(kind: SourceKind, block: unknown): boolean {
  if (kind.isFixed === undefined || !isPlainMap(block)) return false;
  try {
    return kind.isFixed(block);
  } catch {
    return false;
  }
}

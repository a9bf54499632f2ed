import type { EntryType } from '@portolan/plugin-api';
import { quote } from './json-value.ts';
import { type NamePattern, readNamePattern } from './name-pattern.ts';

/** Which entries of a source are taken. A list that is left out or empty asks for nothing. */
export interface EntryFilterRules {
  /** Glob patterns over the full name. `*` also crosses `/`; `?`, `[…]` and `{a,b}` work. */
  readonly names?: IncludeExclude | undefined;
  /** Tags, compared exactly. Only servers have them. */
  readonly tags?: IncludeExclude | undefined;
}

export interface IncludeExclude {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** What a filter looks at. */
export interface FilteredFacts {
  readonly type: EntryType;
  readonly name: string;
  readonly tags: readonly string[];
}

export interface EntryFilter {
  accepts(facts: FilteredFacts): boolean;
  /** A sentence for each pattern that cannot be read. */
  readonly warnings: readonly string[];
}

/**
 * A filter by name and tag. Exclude wins over include. A name pattern that
 * cannot be read matches nothing as include and everything as exclude, so that a
 * mistake never lets in what was meant to stay out; it is told in `warnings`.
 * Servers pass when both name and tags do, skills and plugins by name alone.
 */
export function createEntryFilter(rules: EntryFilterRules): EntryFilter {
  const warnings: string[] = [];
  const include = (rules.names?.include ?? []).map((text) => readPattern(text, 'include', warnings));
  const exclude = (rules.names?.exclude ?? []).map((text) => readPattern(text, 'exclude', warnings));
  const wantedTags = rules.tags?.include ?? [];
  const unwantedTags = new Set(rules.tags?.exclude ?? []);

  const acceptsName = (name: string): boolean =>
    !exclude.some((matches) => matches === undefined || matches(name)) &&
    (include.length === 0 || include.some((matches) => matches?.(name) === true));
  const acceptsTags = (tags: readonly string[]): boolean =>
    !tags.some((tag) => unwantedTags.has(tag)) &&
    (wantedTags.length === 0 || wantedTags.some((tag) => tags.includes(tag)));

  return {
    accepts: ({ type, name, tags }) => acceptsName(name) && (type !== 'server' || acceptsTags(tags)),
    warnings,
  };
}

/** `undefined` for a pattern that cannot be read. */
function readPattern(text: string, list: 'include' | 'exclude', warnings: string[]): NamePattern | undefined {
  try {
    return readNamePattern(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const effect = list === 'include' ? 'It matches no entry' : 'It leaves out every entry';
    warnings.push(`The name pattern ${quote(text)} in \`${list}\` cannot be read. ${effect}. (${reason})`);
    return undefined;
  }
}

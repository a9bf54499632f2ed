import type { EntryType } from '@portolan/plugin-api';
import { quote } from './json-value.ts';
import { type NamePattern, readNamePattern } from './name-pattern.ts';

/** Rules for accepted entries. An absent or empty list restricts nothing. */
export interface EntryFilterRules {
  /** Glob patterns for the full name. `*` also matches `/`; `?`, `[…]` and `{a,b}` are supported. */
  readonly names?: IncludeExclude | undefined;
  /** Exact tags. Only servers have tags. */
  readonly tags?: IncludeExclude | undefined;
}

export interface IncludeExclude {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

export interface FilteredFacts {
  readonly type: EntryType;
  readonly name: string;
  readonly tags: readonly string[];
}

export interface EntryFilter {
  accepts(facts: FilteredFacts): boolean;
  readonly warnings: readonly string[];
}

/**
 * Creates a filter in which exclusion takes precedence. An invalid name pattern includes nothing and excludes
 * everything, so that a mistake never admits an entry. Servers must pass both name and tags, skills and
 * plugins only the name.
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

/** Parses a name pattern. Undefined for an invalid one, which adds a warning. */
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

import { type PublishedDefinitions, readPublishedDefinitions } from '@portolan/entry-format';
import type { DefinitionFault } from './baseline.ts';
import { compareDefinitions } from './compare-definitions.ts';
import { type ChangeClass, type Difference, maxClass } from './difference.ts';
import { definitionsOf, takeEntryBaseline } from './entry-baseline.ts';

/** Maximum number of differences to return. */
const MAX_DIFFERENCES = 1000;
/** Maximum length of a pointer to a changed field. A longer one names the object around the field. */
const MAX_POINTER_LENGTH = 1000;

/** Parts that both versions of an entry publish. */
export const COMPARED_PARTS = ['tools', 'prompts', 'templates', 'server'] as const;
export type ComparedPart = (typeof COMPARED_PARTS)[number];

/** Differences between the definitions that two versions of an entry publish. */
export interface EntryComparison {
  /** Part of `_meta` with the definitions of each version; undefined if it publishes none. */
  readonly before: PublishedDefinitions['from'] | undefined;
  readonly after: PublishedDefinitions['from'] | undefined;
  /** Empty if one of the versions publishes no definitions. */
  readonly compared: readonly ComparedPart[];
  /** Highest class of all differences. */
  readonly class: ChangeClass;
  /** Differences, the first 1,000 only. */
  readonly differences: readonly Difference[];
  /** Number of differences that are left out. */
  readonly more: number;
  /** Unreadable definitions of the earlier version. They do not count as published. */
  readonly faults: readonly DefinitionFault[];
}

/** Compares the definitions that two versions of an entry publish. Removed items are differences. */
export function compareEntries(before: unknown, after: unknown): EntryComparison {
  const earlier = takeEntryBaseline(before);
  const later = readPublishedDefinitions(after);
  const head = { before: earlier?.from, after: later?.from, faults: earlier?.faults ?? [] };
  if (earlier === undefined || later === undefined)
    return { ...head, compared: [], class: 'none', differences: [], more: 0 };
  const { baseline } = earlier;
  const all = compareDefinitions(baseline, definitionsOf(later), { reportRemoved: true });
  return {
    ...head,
    compared: COMPARED_PARTS.filter((part) => baseline[part] !== undefined && later[part] !== undefined),
    class: all.reduce<ChangeClass>((highest, one) => maxClass(highest, one.class), 'none'),
    differences: all.slice(0, MAX_DIFFERENCES).map(shortenPointers),
    more: Math.max(0, all.length - MAX_DIFFERENCES),
  };
}

/** Shortens long pointers, because each of 100 fields can repeat a name as long as the whole entry. */
function shortenPointers(difference: Difference): Difference {
  return {
    ...difference,
    fields: difference.fields.map(({ pointer, class: cls }) => ({ pointer: shorten(pointer), class: cls })),
  };
}

function shorten(pointer: string): string {
  if (pointer.length <= MAX_POINTER_LENGTH) return pointer;
  return pointer.slice(0, pointer.lastIndexOf('/', MAX_POINTER_LENGTH));
}

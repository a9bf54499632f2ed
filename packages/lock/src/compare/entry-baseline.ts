import {
  type PublishedDefinitions,
  type PublishedFault,
  readPublishedDefinitions,
} from '@portolan/entry-format';
import { type Baseline, type CurrentDefinitions, type DefinitionFault, takeBaseline } from './baseline.ts';

/** Definitions of a registry entry as a baseline, and which of them are unreadable. */
export interface EntryBaseline {
  /** Part of `_meta` that holds the definitions. */
  readonly from: PublishedDefinitions['from'];
  readonly baseline: Baseline;
  /** Unreadable lists (with an empty name) and items. None of them is part of the baseline. */
  readonly faults: readonly DefinitionFault[];
}

const KINDS = {
  tools: 'tool',
  prompts: 'prompt',
  templates: 'template',
  server: 'capabilities',
} as const satisfies Record<PublishedFault['part'], DefinitionFault['kind']>;

/**
 * Returns the definitions that an entry publishes, as a baseline. Undefined if it publishes none. `keys` are
 * the package identifiers or URLs whose definitions count. The default is all of the entry.
 */
export function takeEntryBaseline(document: unknown, keys?: readonly string[]): EntryBaseline | undefined {
  const published = readPublishedDefinitions(document, keys);
  if (published === undefined) return undefined;
  const { baseline, faults } = takeBaseline(definitionsOf(published));
  const unread = published.faults.map(({ part, fault }) => ({ kind: KINDS[part], name: '', fault }));
  return { from: published.from, baseline, faults: [...unread, ...faults] };
}

/** Returns published definitions in the form in which `compareDefinitions` takes those of a server. */
export function definitionsOf({
  tools,
  prompts,
  templates,
  server,
}: PublishedDefinitions): CurrentDefinitions {
  return { tools, prompts, templates, server };
}

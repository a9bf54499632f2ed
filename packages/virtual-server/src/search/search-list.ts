import type { RenderedItem } from '../middleware/rendered-list.ts';
import type { SearchSettings } from '../options.ts';
import { callToolDefinition, findToolDefinition } from './search-definitions.ts';

/** Characters of JSON that count as one token. */
const CHARACTERS_PER_TOKEN = 4;

/** Returns whether search is on for a caller who may call these tools. */
export function isSearchOn({ mode, aboveTokens }: SearchSettings, items: readonly RenderedItem[]): boolean {
  if (mode !== 'auto') return mode === 'always';
  // Brackets, and a comma between two definitions.
  const length = items.reduce((sum, { text }) => sum + text.length + 1, 1);
  return length / CHARACTERS_PER_TOKEN > aboveTokens;
}

/**
 * Returns the JSON of the list while search is on: `find_tool`, `call_tool`, and the tools in `search.always` in the order
 * of the list.
 */
export function renderSearchList({ always }: SearchSettings, items: readonly RenderedItem[]): string {
  const names = new Set(always);
  const shown = items.filter(({ name }) => names.has(name));
  const own = [findToolDefinition(items), callToolDefinition(items)];
  return `[${[...own.map((tool) => JSON.stringify(tool)), ...shown.map(({ text }) => text)].join(',')}]`;
}

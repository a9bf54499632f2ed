import { elementsOf, findRepeatedName } from '@portolan/mcp-protocol';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import type { ListKind } from './difference.ts';

/** JSON text of a list, or its parsed items. The text also shows member names that occur twice. */
export type DefinitionList = string | readonly unknown[];

/** Item of a list with its name; the name is empty if it has none. */
export interface NamedDefinition {
  readonly name: string;
  readonly value: unknown;
  readonly fault?: string | undefined;
}

/** Returns the items of a list with their names, and what makes an item or the list unreadable. */
export function readItems(kind: ListKind, list: DefinitionList): readonly NamedDefinition[] {
  const id = kind === 'template' ? 'uriTemplate' : 'name';
  if (typeof list !== 'string') return list.map((value) => nameItem(id, value));
  let items: unknown;
  try {
    items = JSON.parse(list);
  } catch {
    return [{ name: '', value: undefined, fault: 'the list is not JSON' }];
  }
  if (!Array.isArray(items)) return [{ name: '', value: undefined, fault: 'the list is not an array' }];
  const named = items.map((value: unknown) => nameItem(id, value));
  return hasUniqueNames(list, items) ? named : findRepetitions(list, named);
}

function nameItem(id: string, value: unknown): NamedDefinition {
  if (!isJsonObject(value)) return { name: '', value, fault: 'it is not an object' };
  const name = memberOf(value, id);
  return typeof name === 'string' && name !== ''
    ? { name, value }
    : { name: '', value, fault: `its "${id}" is not a text, or empty` };
}

/**
 * Returns whether no object of a list has a member name twice. The JSON of the parsed list lacks repeated members.
 * Comparing it with the text is faster than a search, if the text is written as JavaScript or Python writes JSON.
 */
function hasUniqueNames(text: string, items: readonly unknown[]): boolean {
  try {
    const json = JSON.stringify(items);
    if (json === text || removeBlanks(json) === removeBlanks(text)) return true;
  } catch {
    return false; // The nesting is too deep.
  }
  return findRepeatedName(text) === undefined;
}

/** Removes blanks after commas and colons, also those in strings. It removes no other character. */
function removeBlanks(json: string): string {
  return json.replaceAll(', ', ',').replaceAll(': ', ':');
}

function findRepetitions(text: string, items: readonly NamedDefinition[]): readonly NamedDefinition[] {
  return [...elementsOf(text, 0)].map(({ start, end }, index): NamedDefinition => {
    const { name, value, fault } = items[index] ?? { name: '', value: undefined };
    return { name, value, fault: fault ?? findRepeatedName(text.slice(start, end)) };
  });
}

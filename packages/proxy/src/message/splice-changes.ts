import type { MessageChange } from '@portolan/plugin-api';
import { elementsOf, membersOf, skipBlanks, type Span } from './json-text.ts';

/** A member or an element, from its first character to its last. */
interface Item extends Span {
  /** Undefined in an array. */
  readonly name: string | undefined;
  /** Where its value begins. */
  readonly value: number;
}

interface Edit extends Span {
  readonly by: string;
}

/**
 * The text with the changes in it, and every other character as it was. The
 * places are those of the text as it is given; the text is valid JSON without
 * ambiguity. Throws a RangeError that says what is wrong with the changes.
 */
export function spliceChanges(text: string, changes: readonly MessageChange[]): string {
  const groups = new Map<string, MessageChange[]>();
  for (const change of changes) {
    checkJson(change);
    const key = JSON.stringify(change.path.slice(0, -1));
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  const edits = [...groups.values()].flatMap((group) => editsOf(text, group));
  return applyEdits(text, edits);
}

/** The edits of one object or array. */
function editsOf(text: string, changes: readonly MessageChange[]): readonly Edit[] {
  const parent = changes[0]?.path.slice(0, -1) ?? [];
  const container = findContainer(text, parent);
  const items = itemsOf(text, container);
  const isArray = text[container] === '[';
  const byKey = new Map(items.map((item, at) => [isArray ? at : (item.name ?? ''), { item, at }]));
  const edits: Edit[] = [];
  const removed = new Set<number>();
  const added: string[] = [];
  for (const { path, json } of changes) {
    const key = path.at(-1);
    if (key === undefined) throw new RangeError('a path is empty');
    if (typeof key !== (isArray ? 'number' : 'string')) throw notThere(path);
    const found = byKey.get(key);
    if (found === undefined) {
      if (isArray || json === undefined) throw notThere(path);
      added.push(`${JSON.stringify(key)}:${json}`);
    } else if (json === undefined) removed.add(found.at);
    else edits.push({ start: found.item.value, end: found.item.end, by: json });
  }
  edits.push(...removals(items, removed));
  if (added.length > 0) {
    const at = items.at(-1)?.end ?? container + 1;
    edits.push({ start: at, end: at, by: (items.length > removed.size ? ',' : '') + added.join(',') });
  }
  return edits;
}

/** Each takes one comma along, so that what is left has just enough of them. */
function removals(items: readonly Item[], removed: ReadonlySet<number>): readonly Edit[] {
  const firstKept = items.findIndex((_item, at) => !removed.has(at));
  return [...removed].map((at) => {
    const { start, end } = itemAt(items, at);
    const isLeading = firstKept < 0 || at < firstKept;
    if (!isLeading) return { start: itemAt(items, at - 1).end, end, by: '' };
    return { start, end: at + 1 < items.length ? itemAt(items, at + 1).start : end, by: '' };
  });
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const inOrder = edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, by } of inOrder) {
    if (start < at) throw new RangeError('two changes are about the same place');
    parts.push(text.slice(at, start), by);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Where the object or array at the path begins. */
function findContainer(text: string, path: readonly (string | number)[]): number {
  let at = skipBlanks(text, 0);
  for (const [depth, key] of path.entries()) {
    const isArray = text[at] === '[';
    const items = itemsOf(text, at);
    const found = isArray
      ? items.find((_item, index) => index === key)
      : items.find(({ name }) => name !== undefined && name === key);
    if (found === undefined) throw notThere(path.slice(0, depth + 1));
    at = found.value;
  }
  if (text[at] !== '{' && text[at] !== '[') throw notThere(path);
  return at;
}

function itemsOf(text: string, container: number): readonly Item[] {
  if (text[container] === '[') {
    return [...elementsOf(text, container)].map(({ start, end }) => ({
      name: undefined,
      start,
      value: start,
      end,
    }));
  }
  let before = container;
  return [...membersOf(text, container)].map(({ name, start: value, end }) => {
    // Past the brace or the comma.
    const start = skipBlanks(text, skipBlanks(text, before) + 1);
    before = end;
    return { name, start, value, end };
  });
}

function itemAt(items: readonly Item[], at: number): Item {
  const item = items[at];
  if (item === undefined) throw new TypeError('an item that was just found');
  return item;
}

function checkJson({ path, json }: MessageChange): void {
  if (json === undefined) return;
  try {
    JSON.parse(json);
  } catch {
    throw new RangeError(`what is to stand at ${shown(path)} is not JSON`);
  }
}

function notThere(path: readonly (string | number)[]): RangeError {
  return new RangeError(`there is no ${shown(path)}`);
}

function shown(path: readonly (string | number)[]): string {
  return JSON.stringify(path).slice(0, 200);
}

import type { MessageChange } from '@portolan/plugin-api';
import { elementsOf, findStart, membersOf, skipBlanks, type Span } from './json-text.ts';

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

/** What changes at a place: its value, or places below it. */
interface Place {
  change: MessageChange | undefined;
  readonly below: Map<string | number, Place>;
}

/**
 * The text with the changes in it, and every other character as it was. The
 * places are those of the text as it is given; the text is valid JSON without
 * ambiguity. Throws a RangeError that says what is wrong with the changes.
 */
export function spliceChanges(text: string, changes: readonly MessageChange[]): string {
  if (changes.length === 0) return text;
  const edits: Edit[] = [];
  addEdits(text, skipBlanks(text, 0), placesOf(changes), [], edits);
  return applyEdits(text, edits);
}

function placesOf(changes: readonly MessageChange[]): Place {
  const top: Place = { change: undefined, below: new Map() };
  for (const change of changes) {
    checkJson(change);
    if (change.path.length === 0) throw new RangeError('a path is empty');
    let place = top;
    for (const key of change.path) {
      if (place.change !== undefined) throw sameTwice(change.path);
      let inner = place.below.get(key);
      if (inner === undefined) {
        inner = { change: undefined, below: new Map() };
        place.below.set(key, inner);
      }
      place = inner;
    }
    if (place.change !== undefined || place.below.size > 0) throw sameTwice(change.path);
    place.change = change;
  }
  return top;
}

/** The edits of one object or array and of everything in it: each is walked once, however much changes there. */
function addEdits(
  text: string,
  container: number,
  place: Place,
  path: MessageChange['path'],
  edits: Edit[],
): void {
  const isArray = text[container] === '[';
  if (!isArray && text[container] !== '{') throw notThere(path);
  const [only, other] = place.below;
  const [way, inner] = other === undefined && only !== undefined ? only : [];
  // What stands beside the way down is not looked at, nor where it ends.
  if (!isArray && inner !== undefined && inner.change === undefined && isPlain(way)) {
    const start = findStart(text, container, way);
    if (start === undefined) throw notThere([...path, way]);
    addEdits(text, start, inner, [...path, way], edits);
    return;
  }
  const items = itemsOf(text, container);
  const byName = isArray ? undefined : new Map(items.map(({ name = '' }, at) => [name, at]));
  const removed = new Set<number>();
  const added: string[] = [];
  for (const [key, { change, below }] of place.below) {
    const at = typeof key === 'string' ? byName?.get(key) : isArray ? key : undefined;
    const item = at === undefined ? undefined : items[at];
    if (at === undefined || item === undefined) {
      if (typeof key === 'number' || isArray || change?.json === undefined) throw notThere([...path, key]);
      added.push(`${JSON.stringify(key)}:${change.json}`);
    } else if (change === undefined) {
      addEdits(text, item.value, { change, below }, [...path, key], edits);
    } else if (change.json === undefined) removed.add(at);
    else edits.push({ start: item.value, end: item.end, by: change.json });
  }
  addRemovals(items, removed, edits);
  if (added.length > 0) {
    const at = items.at(-1)?.end ?? container + 1;
    edits.push({ start: at, end: at, by: (items.length > removed.size ? ',' : '') + added.join(',') });
  }
}

/** A name that `findStart` takes. */
function isPlain(key: string | number | undefined): key is string {
  return typeof key === 'string' && !key.includes('\\');
}

/** Each takes one comma along, so that what is left has just enough of them. */
function addRemovals(items: readonly Item[], removed: ReadonlySet<number>, edits: Edit[]): void {
  if (removed.size === 0) return;
  const firstKept = items.findIndex((_item, at) => !removed.has(at));
  for (const at of removed) {
    const { start, end } = itemAt(items, at);
    const isLeading = firstKept < 0 || at < firstKept;
    const edit = isLeading
      ? { start, end: at + 1 < items.length ? itemAt(items, at + 1).start : end, by: '' }
      : { start: itemAt(items, at - 1).end, end, by: '' };
    edits.push(edit);
  }
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const inOrder = edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, by } of inOrder) {
    parts.push(text.slice(at, start), by);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
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

function sameTwice(path: MessageChange['path']): RangeError {
  return new RangeError(`two changes are about the same place, ${shown(path)}`);
}

function notThere(path: readonly (string | number)[]): RangeError {
  return new RangeError(`there is no ${shown(path)}`);
}

function shown(path: readonly (string | number)[]): string {
  return JSON.stringify(path).slice(0, 200);
}

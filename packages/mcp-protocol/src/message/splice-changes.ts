import type { MessageChange } from '@portolan/plugin-api';
import { elementsOf, findStart, membersOf, skipBlanks, type Span } from './json-text.ts';

interface Item extends Span {
  readonly name: string | undefined;
  readonly value: number;
}

interface Edit extends Span {
  readonly by: string;
}

interface ChangeNode {
  change: MessageChange | undefined;
  readonly below: Map<string | number, ChangeNode>;
}

/**
 * Applies changes and keeps all other characters. Paths refer to the original text, which must be valid,
 * unambiguous JSON. Throws a RangeError for an invalid change.
 */
export function spliceChanges(text: string, changes: readonly MessageChange[]): string {
  if (changes.length === 0) return text;
  const edits: Edit[] = [];
  addEdits(text, skipBlanks(text, 0), placesOf(changes), [], edits);
  return applyEdits(text, edits);
}

function placesOf(changes: readonly MessageChange[]): ChangeNode {
  const top: ChangeNode = { change: undefined, below: new Map() };
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

/** Collects the edits inside a container. Scans it once, regardless of the number of changes. */
function addEdits(
  text: string,
  container: number,
  place: ChangeNode,
  path: MessageChange['path'],
  edits: Edit[],
): void {
  const isArray = text[container] === '[';
  if (!isArray && text[container] !== '{') throw notThere(path);
  const [only, other] = place.below;
  const [way, inner] = other === undefined && only !== undefined ? only : [];
  // Fast path: with a single change, skip all other members.
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

function isPlain(key: string | number | undefined): key is string {
  return typeof key === 'string' && !key.includes('\\');
}

/** Removes items with one comma each, so that the number of commas stays right. */
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
    // After the opening brace or the comma.
    const start = skipBlanks(text, skipBlanks(text, before) + 1);
    before = end;
    return { name, start, value, end };
  });
}

function itemAt(items: readonly Item[], at: number): Item {
  const item = items[at];
  if (item === undefined) throw new TypeError('an item that exists must have a position');
  return item;
}

/** Minimum length of valid JSON that is remembered, such as a list that many clients get. */
const LARGE_JSON = 16 * 1024;
/** Maximum length of it, which stays in memory. */
const HUGE_JSON = 1024 * 1024;

let lastLarge = '';

function checkJson({ path, json }: MessageChange): void {
  if (json === undefined || (json.length >= LARGE_JSON && json === lastLarge)) return;
  try {
    JSON.parse(json);
    if (json.length >= LARGE_JSON && json.length <= HUGE_JSON) lastLarge = json;
  } catch {
    throw new RangeError(`the new value of ${shown(path)} is not JSON`);
  }
}

function sameTwice(path: MessageChange['path']): RangeError {
  return new RangeError(`two changes apply to the same path, ${shown(path)}`);
}

function notThere(path: readonly (string | number)[]): RangeError {
  return new RangeError(`there is no ${shown(path)}`);
}

function shown(path: readonly (string | number)[]): string {
  return JSON.stringify(path).slice(0, 200);
}

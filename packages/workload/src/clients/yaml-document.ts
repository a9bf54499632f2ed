import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import type { ClientEntry } from './client-entry.ts';
import {
  applySplices,
  type FileEdit,
  firstFaithful,
  lineEndOf,
  lineStartAt,
  type OpenedDocument,
} from './file-edit.ts';
import { endOfItem, endOfLine, endOfNode, startOfItem, startOfNode } from './yaml-locations.ts';
import {
  type Fields,
  indexOf,
  isFields,
  isNull,
  itemsOf,
  namesOf,
  pairOf,
  type ServerMap,
  type Servers,
  serversOf,
  toValue,
} from './yaml-servers.ts';

/** Opens a YAML document of servers: a map by name, or a list of maps with a `name`. */
export async function openYamlDocument(
  text: string,
  key: string,
  form: 'map' | 'list',
): Promise<OpenedDocument> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined)
    return { fault: `it is not valid YAML (line ${text.slice(0, error.pos[0]).split('\n').length})` };
  if (document.contents !== null && !yaml.isMap(document.contents) && !isNull(yaml, document.contents)) {
    return { fault: 'it is not a map' };
  }
  const place: ServerMap = { yaml, text, document, key, isList: form === 'list' };
  const servers = serversOf(place);
  if (servers === 'other') return { fault: `"${key}" is not a ${form}` };
  return {
    names: () => namesOf(place, servers),
    find: (name) => {
      const item = itemsOf(servers)[indexOf(place, servers, name)];
      return item === undefined ? undefined : toValue(place, yaml.isPair(item) ? item.value : item);
    },
    set: (entry) => setEntry(place, servers, entry),
    remove: (name) => removeEntry(place, servers, name),
  };
}

function setEntry(place: ServerMap, servers: Servers, { name, fields, without }: ClientEntry): FileEdit {
  const index = indexOf(place, servers, name);
  const item = itemsOf(servers)[index];
  const before = item === undefined ? {} : toValue(place, place.yaml.isPair(item) ? item.value : item);
  const merged = { ...(isFields(before) ? before : {}), ...fields };
  for (const key of without) delete merged[key];
  const requested = withItem(place, index, name, merged);
  return edit(place, requested, [
    () =>
      index === -1 ? append(place, servers, name, merged) : replace(place, servers, index, name, merged),
    () =>
      throughDocument(place, (document) => {
        if (!place.isList) document.setIn([place.key, name], document.createNode(merged));
        else if (index === -1 && servers !== undefined)
          document.addIn([place.key], document.createNode(merged));
        else
          document.setIn(
            servers === undefined ? [place.key] : [place.key, index],
            document.createNode(servers === undefined ? [merged] : merged),
          );
      }),
  ]);
}

function removeEntry(place: ServerMap, servers: Servers, name: string): FileEdit {
  const index = indexOf(place, servers, name);
  if (index === -1) return { text: place.text };
  return edit(place, withoutItem(place, index, name), [
    () => cutOut(place, servers, index, ''),
    () => throughDocument(place, (document) => document.deleteIn([place.key, place.isList ? index : name])),
  ]);
}

function edit(
  place: ServerMap,
  requested: unknown,
  attempts: readonly (() => string | undefined)[],
): FileEdit {
  const expected = canonical(requested);
  return firstFaithful(attempts, (text) => {
    const document = place.yaml.parseDocument(text, { prettyErrors: false });
    return document.errors.length === 0 && canonical(contentOf(document)) === expected;
  });
}

function append(place: ServerMap, servers: Servers, name: string, fields: Fields): string | undefined {
  const { text, document, key, yaml } = place;
  const eol = lineEndOf(text);
  if (servers === undefined) {
    const pair = pairOf(place);
    if (pair !== undefined) {
      const at = endOfLine(text, endOfNode(pair.key));
      return insertLines(text, at, blockLines(place, '  ', name, fields), eol);
    }
    const lines = [`${key}:`, ...blockLines(place, '  ', name, fields)];
    return yaml.isMap(document.contents) && document.contents.flow === true
      ? undefined
      : insertLines(text, text.length, lines, eol);
  }
  const last = servers.items.at(-1);
  if (servers.flow === true) {
    const item = place.isList ? JSON.stringify(fields) : `${JSON.stringify(name)}: ${JSON.stringify(fields)}`;
    const at = last === undefined ? (servers.range?.[0] ?? -1) + 1 : endOfItem(last);
    return at < 1
      ? undefined
      : applySplices(text, [{ at, end: at, insert: last === undefined ? item : `, ${item}` }]);
  }
  if (last === undefined) return undefined;
  const start = startOfItem(place, last);
  const indent = /^ */.exec(text.slice(lineStartAt(text, start)))?.[0] ?? '';
  return insertLines(text, endOfLine(text, endOfItem(last)), blockLines(place, indent, name, fields), eol);
}

function replace(
  place: ServerMap,
  servers: Servers,
  index: number,
  name: string,
  fields: Fields,
): string | undefined {
  const item = itemsOf(servers)[index];
  if (servers === undefined || item === undefined) return undefined;
  const value = place.yaml.isPair(item) ? item.value : item;
  const scalars = place.yaml.isMap(value) ? scalarSplices(place, value, fields) : undefined;
  if (scalars !== undefined) return applySplices(place.text, scalars);
  if (servers.flow === true) return undefined;
  const indent = /^ */.exec(place.text.slice(lineStartAt(place.text, startOfItem(place, item))))?.[0] ?? '';
  return cutOut(
    place,
    servers,
    index,
    linesText(blockLines(place, indent, name, fields), lineEndOf(place.text)),
  );
}

/**
 * Returns text replacements for the scalar values that differ from `fields`. Returns undefined when the map
 * and `fields` do not have the same keys.
 */
function scalarSplices({ yaml, text }: ServerMap, map: YAMLMap, fields: Fields) {
  const splices = [];
  const keys = map.items.map(({ key }) => (yaml.isScalar(key) ? String(key.value) : ''));
  if (keys.length !== Object.keys(fields).length || !keys.every((key) => Object.hasOwn(fields, key)))
    return undefined;
  for (const [index, { value }] of map.items.entries()) {
    const requested = fields[keys[index] ?? ''];
    if (!yaml.isScalar(value)) continue;
    if (value.value === requested) continue;
    const [at, end] = value.range ?? [0, 0];
    if (end <= at || text.slice(at, end).includes('\n')) return undefined;
    splices.push({ at, end, insert: JSON.stringify(requested) });
  }
  return splices;
}

/**
 * Replaces the item of a server in a YAML list or map by the text `instead`. In block style, replaces whole
 * lines.
 */
function cutOut(place: ServerMap, servers: Servers, index: number, instead: string): string | undefined {
  const { text, key } = place;
  const item = itemsOf(servers)[index];
  if (servers === undefined || item === undefined) return undefined;
  if (servers.flow === true) return instead === '' ? cutOutOfFlow(text, servers, index) : undefined;
  const start = lineStartAt(text, startOfItem(place, item));
  if (text.slice(start, startOfItem(place, item)).trim() !== '') return undefined;
  const end = endOfLine(text, endOfItem(item));
  const isLastLine = end === text.length && !text.endsWith('\n');
  const gap = isLastLine && instead === '' ? (/\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0) : 0;
  const cut = { at: start - gap, end, insert: isLastLine ? instead.replace(/\r?\n$/, '') : instead };
  if (servers.items.length > 1 || instead !== '') return applySplices(text, [cut]);
  const pair = pairOf(place);
  const colon = text.indexOf(':', endOfNode(pair?.key));
  if (pair === undefined || colon === -1 || colon >= start) return undefined;
  const empty = { at: colon + 1, end: colon + 1, insert: place.isList ? ' []' : ' {}' };
  return key === '' ? undefined : applySplices(text, [empty, cut]);
}

function cutOutOfFlow(text: string, { items }: YAMLMap | YAMLSeq, index: number): string | undefined {
  const [previous, item, next] = [items[index - 1], items[index], items[index + 1]];
  if (item === undefined) return undefined;
  if (previous !== undefined)
    return applySplices(text, [{ at: endOfItem(previous), end: endOfItem(item), insert: '' }]);
  const end = next === undefined ? endOfItem(item) : startOfNode(next);
  return applySplices(text, [{ at: startOfNode(item), end, insert: '' }]);
}

function throughDocument(
  { yaml, text }: ServerMap,
  change: (document: Document) => unknown,
): string | undefined {
  const document = yaml.parseDocument(text);
  change(document);
  return document.toString({ lineWidth: 0 });
}

function blockLines({ isList }: ServerMap, indent: string, name: string, fields: Fields): readonly string[] {
  const entries = Object.entries(fields).map(([key, value]) => `${quoteKey(key)}: ${JSON.stringify(value)}`);
  if (isList) return entries.map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`);
  return [`${indent}${quoteKey(name)}:`, ...entries.map((line) => `${indent}  ${line}`)];
}

function insertLines(text: string, at: number, lines: readonly string[], eol: string): string {
  const before = text.slice(0, at);
  const isOpen = before !== '' && !before.endsWith('\n');
  const inserted = isOpen ? eol + lines.join(eol) : linesText(lines, eol);
  return before + inserted + text.slice(at);
}

function linesText(lines: readonly string[], eol: string): string {
  return lines.map((line) => line + eol).join('');
}

/** Quotes a key unless YAML reads it as a string without quotes. */
function quoteKey(key: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key);
  return isPlain ? key : JSON.stringify(key);
}

/** Returns the content as maps, which keep the order and the type of keys. */
function contentOf(document: Document): unknown {
  return document.toJS({ mapAsMap: true });
}

function withItem(
  { document, key, isList }: ServerMap,
  index: number,
  name: string,
  fields: Fields,
): unknown {
  const content = contentOf(document);
  const map = new Map(content instanceof Map ? content : []);
  const item = new Map(Object.entries(fields));
  const servers: unknown = map.get(key);
  if (!isList) return map.set(key, new Map(servers instanceof Map ? servers : []).set(name, item));
  const items: readonly unknown[] = Array.isArray(servers) ? servers : [];
  return map.set(key, index === -1 ? [...items, item] : items.with(index, item));
}

function withoutItem({ document, key, isList }: ServerMap, index: number, name: string): unknown {
  const content = contentOf(document);
  const map = new Map(content instanceof Map ? content : []);
  const servers: unknown = map.get(key);
  if (isList) return map.set(key, Array.isArray(servers) ? servers.toSpliced(index, 1) : []);
  const left = new Map(servers instanceof Map ? servers : []);
  left.delete(name);
  return map.set(key, left);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member instanceof Map
      ? { map: [...member].toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)) }
      : typeof member === 'bigint'
        ? `${member}n`
        : member,
  );
}

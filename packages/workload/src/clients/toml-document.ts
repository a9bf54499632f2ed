import type { ClientEntry } from './client-entry.ts';
import {
  applySplices,
  firstFaithful,
  type FileEdit,
  lineEndOf,
  type OpenedDocument,
  type Splice,
} from './file-edit.ts';
import { readTomlSections, type TomlSection } from './toml-sections.ts';

type Toml = typeof import('@decimalturn/toml-patch');
type Fields = Readonly<Record<string, unknown>>;

interface ServerTable {
  readonly toml: Toml;
  readonly text: string;
  readonly content: Fields;
  readonly key: string;
  readonly isList: boolean;
}

/** Opens a TOML document of servers: a table for each name, or an array of tables with a `name`. */
export async function openTomlDocument(
  text: string,
  key: string,
  form: 'map' | 'list',
): Promise<OpenedDocument> {
  const toml = await import('@decimalturn/toml-patch');
  const content = parse(toml, text);
  if (typeof content === 'string') return { fault: content };
  const place: ServerTable = { toml, text, content, key, isList: form === 'list' };
  const servers = content[key];
  const isRight = servers === undefined || (place.isList ? Array.isArray(servers) : isFields(servers));
  if (!isRight) return { fault: `"${key}" is not a ${place.isList ? 'array' : 'table'}` };
  return {
    names: () => namesOf(place),
    find: (name) => entryOf(place, name),
    set: (entry) => setEntry(place, entry),
    remove: (name) => removeEntry(place, name),
  };
}

function setEntry(place: ServerTable, { name, fields, without }: ClientEntry): FileEdit {
  const before = entryOf(place, name);
  const merged: Record<string, unknown> = { ...(isFields(before) ? before : {}), ...fields };
  for (const key of without) delete merged[key];
  const requested = withServer(place, name, merged);
  return edit(place, requested, [
    () => (before === undefined ? append(place, name, merged) : update(place, name, fields, without)),
    () => place.toml.patch(place.text, structuredClone(requested)),
  ]);
}

function removeEntry(place: ServerTable, name: string): FileEdit {
  if (entryOf(place, name) === undefined) return { text: place.text };
  const target = withServer(place, name, undefined);
  const emptied = withoutEmpty(target, place.key);
  const cut = edit(place, emptied, [() => cutOut(place, name)]);
  if ('text' in cut) return cut;
  return edit(place, target, [
    () => cutOut(place, name),
    () => place.toml.patch(place.text, structuredClone(target)),
  ]);
}

function edit(
  place: ServerTable,
  requested: Fields,
  attempts: readonly (() => string | undefined)[],
): FileEdit {
  const expected = canonical(requested);
  return firstFaithful(attempts, (text) => {
    const content = parse(place.toml, text);
    return typeof content !== 'string' && canonical(content) === expected;
  });
}

/** Appends a table at the end, where it cannot become part of another table. */
function append({ text, key, isList }: ServerTable, name: string, fields: Fields): string {
  const eol = lineEndOf(text);
  const head = isList ? `[[${key}]]` : `[${key}.${quoteKey(name)}]`;
  const lines = [
    head,
    ...Object.entries(fields).map(([field, value]) => `${quoteKey(field)} = ${JSON.stringify(value)}`),
  ];
  if (text === '') return lines.map((line) => line + eol).join('');
  if (!text.endsWith('\n')) return [text, '', ...lines].join(eol);
  return text + eol + lines.map((line) => line + eol).join('');
}

function update(
  place: ServerTable,
  name: string,
  fields: Fields,
  without: readonly string[],
): string | undefined {
  const [section] = sectionsOf(place, name);
  if (section === undefined) return undefined;
  const eol = lineEndOf(place.text);
  const splices: Splice[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const statement = section.statements.find(({ key }) => key === field || key === JSON.stringify(field));
    const insert = JSON.stringify(value);
    if (statement === undefined)
      splices.push({ at: section.body, end: section.body, insert: `${field} = ${insert}${eol}` });
    else if (entryField(place, name, field) !== value)
      splices.push({ at: statement.valueAt, end: statement.valueEnd, insert });
  }
  for (const { key, at, end } of section.statements) {
    if (without.includes(key)) splices.push({ at, end, insert: '' });
  }
  return applySplices(place.text, splices);
}

/** Removes the tables of an entry and the empty line before them. */
function cutOut(place: ServerTable, name: string): string | undefined {
  const sections = sectionsOf(place, name);
  const { text } = place;
  const splices = sections.map(({ at, end }, index): Splice => {
    const blank =
      index === 0 ? (/(?:^|\n)(?<line>\r?\n)$/.exec(text.slice(0, at))?.groups?.['line']?.length ?? 0) : 0;
    const isOpenEnd = index === 0 && end === text.length && !text.endsWith('\n');
    const gap = isOpenEnd ? (/(?:\r?\n){1,2}$/.exec(text.slice(0, at))?.[0].length ?? 0) : blank;
    return { at: at - gap, end, insert: '' };
  });
  return splices.length === 0 ? undefined : applySplices(text, splices);
}

/**
 * Returns the tables of a server's entry; none when the entry is written in another form, such as an inline
 * table.
 */
function sectionsOf({ text, key, isList, content }: ServerTable, name: string): readonly TomlSection[] {
  const sections = readTomlSections(text);
  if (!isList) {
    const own = sections.filter(
      ({ path: [first, second], isItem }, index) => index > 0 && first === key && second === name && !isItem,
    );
    return own.some(({ path }) => path.length === 2) ? own : [];
  }
  const servers = content[key];
  const nth = Array.isArray(servers)
    ? servers.findIndex((item) => isFields(item) && item['name'] === name)
    : -1;
  const heads = sections.flatMap(({ path, isItem }, index) =>
    isItem && path.length === 1 && path[0] === key ? [index] : [],
  );
  const [from, to = sections.length] = [heads[nth], heads[nth + 1]];
  if (from === undefined) return [];
  return sections
    .slice(from, to)
    .filter(({ path }, index) => index === 0 || (path[0] === key && path.length > 1));
}

function namesOf({ content, key, isList }: ServerTable): readonly string[] {
  const servers = content[key];
  if (isList)
    return Array.isArray(servers)
      ? servers.flatMap((item) => (isFields(item) && typeof item['name'] === 'string' ? [item['name']] : []))
      : [];
  return isFields(servers) ? Object.keys(servers) : [];
}

function entryOf({ content, key, isList }: ServerTable, name: string): unknown {
  const servers = content[key];
  if (isList)
    return Array.isArray(servers)
      ? servers.find((item) => isFields(item) && item['name'] === name)
      : undefined;
  return isFields(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
}

function entryField(place: ServerTable, name: string, field: string): unknown {
  const entry = entryOf(place, name);
  return isFields(entry) ? entry[field] : undefined;
}

/**
 * Returns the document's content with the entry of `name` set to `fields`, or without that entry when
 * `fields` is undefined.
 */
function withServer({ content, key, isList }: ServerTable, name: string, fields: Fields | undefined): Fields {
  const servers = content[key];
  if (isList) {
    const items: readonly unknown[] = Array.isArray(servers) ? servers : [];
    const index = items.findIndex((item) => isFields(item) && item['name'] === name);
    if (fields === undefined) return { ...content, [key]: items.toSpliced(index, 1) };
    return { ...content, [key]: index === -1 ? [...items, fields] : items.with(index, fields) };
  }
  const others = Object.entries(isFields(servers) ? servers : {}).filter(([one]) => one !== name);
  return {
    ...content,
    [key]: Object.fromEntries(fields === undefined ? others : [...others, [name, fields]]),
  };
}

/** Removes the key that holds the servers when no server is left. */
function withoutEmpty(content: Fields, key: string): Fields {
  const { [key]: servers, ...others } = content;
  const isEmpty = Array.isArray(servers)
    ? servers.length === 0
    : isFields(servers) && Object.keys(servers).length === 0;
  return isEmpty ? others : content;
}

function parse(toml: Toml, text: string): Fields | string {
  try {
    const content: unknown = toml.parse(text);
    return isFields(content) ? content : 'it is not a table';
  } catch (error) {
    // The parser's message quotes the line, which may hold a secret.
    const line =
      typeof error === 'object' && error !== null && 'line' in error ? ` (line ${String(error.line)})` : '';
    return `it is not valid TOML${line}`;
  }
}

function quoteKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return `${member}n`;
    return isFields(member)
      ? Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1))
      : member;
  });
}

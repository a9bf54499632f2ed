import type { Node } from 'jsonc-parser';
import type { ClientEntry } from './client-entry.ts';
import { applySplices, type FileEdit, firstFaithful, lineEndOf, type OpenedDocument } from './file-edit.ts';
import { canonical, canonicalText, toPlain, withMember, withoutMember } from './json-plain.ts';
import { insertion, removals, UNIT } from './json-splices.ts';
import {
  hasTwice,
  type JsonParser,
  type JsonPath,
  memberNode,
  nodeAt,
  parseRoot,
  toValue,
} from './json-tree.ts';

/** Opens a JSON document that holds servers by name. Allows comments and trailing commas. */
export async function openJsonDocument(text: string, servers: string): Promise<OpenedDocument> {
  const parser = await import('jsonc-parser');
  const root = parseRoot(parser, text);
  if (typeof root === 'string') return { fault: root };
  const match = root === undefined ? undefined : memberNode(root, servers);
  if (match !== undefined && match.type !== 'object') return { fault: `"${servers}" is not an object` };
  if (hasTwice(root, servers)) return { fault: `"${servers}" occurs twice` };
  const nodeOf = (name: string): Node | undefined =>
    match === undefined ? undefined : memberNode(match, name);
  return {
    names: () => (match?.children ?? []).map(({ children }) => String(children?.[0]?.value)),
    find: (name) => {
      const node = nodeOf(name);
      return node === undefined ? undefined : toValue(node);
    },
    set: (entry) => setEntry(parser, text, servers, entry),
    remove: (name) => (nodeOf(name) === undefined ? { text } : removeAt(parser, text, [servers, name])),
  };
}

function setEntry(
  parser: JsonParser,
  text: string,
  servers: string,
  { name, fields, without }: ClientEntry,
): FileEdit {
  const root = parseRoot(parser, text);
  if (typeof root === 'string') return { fault: root };
  const existing = nodeAt(root, [servers, name]);
  if (existing?.type !== 'object') return setAt(parser, text, [servers, name], fields);
  let result: FileEdit = { text };
  for (const [key, value] of Object.entries(fields)) {
    if ('fault' in result) return result;
    const before = memberNode(existing, key);
    // A field whose value is equal stays untouched, which keeps its layout in the file.
    if (before !== undefined && JSON.stringify(toValue(before)) === JSON.stringify(value)) continue;
    result = setAt(parser, result.text, [servers, name, key], value);
  }
  for (const key of without) {
    if ('fault' in result) return result;
    if (memberNode(existing, key) !== undefined) result = removeAt(parser, result.text, [servers, name, key]);
  }
  return result;
}

function setAt(parser: JsonParser, text: string, path: JsonPath, value: unknown): FileEdit {
  const root = parseRoot(parser, text);
  if (typeof root === 'string') return { fault: root };
  const expected = canonical(withMember(root === undefined ? { members: [] } : toPlain(root), path, value));
  const isFaithful = (result: string): boolean => canonicalText(parser, result) === expected;
  return firstFaithful([() => writeAt(text, root, path, value)], isFaithful);
}

function writeAt(text: string, root: Node | undefined, path: JsonPath, value: unknown): string | undefined {
  const eol = lineEndOf(text);
  if (root === undefined) {
    const document = JSON.stringify(nested(path, value), undefined, UNIT).replaceAll('\n', eol);
    const gap = text === '' || text.endsWith('\n') ? '' : eol;
    return `${text}${gap}${document}${eol}`;
  }
  let [node, depth] = [root, 0];
  for (; depth < path.length; depth += 1) {
    const next = memberNode(node, path[depth] ?? '');
    if (next === undefined) break;
    node = next;
  }
  if (depth === path.length) {
    return applySplices(text, [
      { at: node.offset, end: node.offset + node.length, insert: JSON.stringify(value) },
    ]);
  }
  if (node.type !== 'object') return undefined;
  const [key = '', ...rest] = path.slice(depth);
  return applySplices(text, insertion(text, node, key, nested(rest, value)));
}

function removeAt(parser: JsonParser, text: string, path: JsonPath): FileEdit {
  const root = parseRoot(parser, text);
  if (typeof root === 'string' || root === undefined) return { fault: root ?? 'it is empty' };
  const parent = nodeAt(root, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const index = parent?.children?.findIndex(({ children }) => children?.[0]?.value === key) ?? -1;
  if (parent === undefined || index === -1) return { text };
  const expected = canonical(withoutMember(toPlain(root), path));
  const isFaithful = (result: string): boolean => canonicalText(parser, result) === expected;
  const attempts = removals(text, parent, index).map((splices) => () => applySplices(text, splices));
  return firstFaithful(attempts, isFaithful);
}

function nested(path: JsonPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

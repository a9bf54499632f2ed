import type { MessageChange } from '@portolan/plugin-api';
import { type JsonTree, printTree } from './json-tree.ts';

/**
 * Returns as few and as deep changes as possible, because unchanged parts keep their text. A list with added
 * elements is replaced.
 */
export function findChanges(
  before: JsonTree,
  after: JsonTree,
  path: MessageChange['path'] = [],
): readonly MessageChange[] {
  if (before === after) return [];
  if (before.is === 'map' && after.is === 'map') {
    const removed = [...before.members.keys()].filter((name) => !after.members.has(name));
    return [
      ...removed.map((name) => ({ path: [...path, name], json: undefined })),
      ...[...after.members].flatMap(([name, value]) => {
        const old = before.members.get(name);
        const place = [...path, name];
        return old === undefined ? [{ path: place, json: printTree(value) }] : findChanges(old, value, place);
      }),
    ];
  }
  if (before.is === 'list' && after.is === 'list') {
    const changes = changesOfList(before.items, after.items, path);
    if (changes !== undefined) return changes;
  }
  if (before.is === 'leaf' && after.is === 'leaf' && before.json === after.json) return [];
  return [{ path, json: printTree(after) }];
}

/** Returns undefined when more than removals are needed. */
function changesOfList(
  before: readonly JsonTree[],
  after: readonly JsonTree[],
  path: MessageChange['path'],
): readonly MessageChange[] | undefined {
  if (before.length === after.length) {
    return after.flatMap((item, at) => {
      const old = before[at];
      return old === undefined ? [] : findChanges(old, item, [...path, at]);
    });
  }
  const jsonTrees = new Set(after);
  const rest = before.filter((item) => jsonTrees.has(item));
  const isTakenOut = rest.length === after.length && rest.every((item, at) => item === after[at]);
  if (!isTakenOut) return undefined;
  return before.flatMap((item, at) =>
    jsonTrees.has(item) ? [] : [{ path: [...path, at], json: undefined }],
  );
}

import { equalTrees, type JsonMap, type JsonTree } from './json-tree.ts';

/**
 * Applies a JSON Patch (RFC 6902) to `{"mcp_request": message}`. Every path begins with `/mcp_request/`.
 * Throws a RangeError that names the impossible operation.
 * Not a library; decision 41 gives the reason.
 */
export function applyPatch(message: JsonTree, patch: JsonTree): JsonTree {
  if (patch.is !== 'list') throw new RangeError('the patch is not a list');
  let document: JsonTree = { is: 'map', members: new Map([['mcp_request', message]]) };
  for (const [index, operation] of patch.items.entries()) {
    try {
      document = applyOne(document, operation);
    } catch (error) {
      const because = error instanceof RangeError ? error.message : 'it cannot be applied';
      throw new RangeError(`patch[${index}]: ${because}`);
    }
  }
  return at(document, ['mcp_request']);
}

function applyOne(document: JsonTree, operation: JsonTree): JsonTree {
  if (operation.is !== 'map') throw new RangeError('it is not a map');
  const path = pointerIn(operation, 'path');
  switch (textIn(operation, 'op')) {
    case 'add':
      return add(document, path, valueIn(operation));
    case 'remove':
      return change(document, path, without);
    case 'replace':
      return change(document, path, (parent, key) => set(parent, key, valueIn(operation)));
    case 'copy':
      return add(document, path, at(document, pointerIn(operation, 'from')));
    case 'move':
      return move(document, pointerIn(operation, 'from'), path);
    case 'test': {
      if (equalTrees(at(document, path), valueIn(operation))) return document;
      throw new RangeError('the test fails');
    }
    case undefined:
    default:
      throw new RangeError('its op is unknown');
  }
}

function move(document: JsonTree, from: readonly string[], to: readonly string[]): JsonTree {
  const value = at(document, from);
  if (from.length <= to.length && from.every((token, index) => token === to[index])) {
    if (from.length === to.length) return document;
    throw new RangeError('it moves a value into itself');
  }
  return add(change(document, from, without), to, value);
}

function add(document: JsonTree, path: readonly string[], value: JsonTree): JsonTree {
  return change(document, path, (parent, key) => {
    if (parent.is === 'map') return { is: 'map', members: new Map(parent.members).set(key, value) };
    if (parent.is !== 'list') throw notThere();
    const index = key === '-' ? parent.items.length : indexOf(key, parent.items.length + 1);
    return { is: 'list', items: parent.items.toSpliced(index, 0, value) };
  });
}

/** Returns a copy of the parent in which an existing value is replaced. */
function set(parent: JsonTree, key: string, value: JsonTree): JsonTree {
  child(parent, key);
  if (parent.is === 'map') return { is: 'map', members: new Map(parent.members).set(key, value) };
  if (parent.is !== 'list') throw notThere();
  return { is: 'list', items: parent.items.with(indexOf(key, parent.items.length), value) };
}

function without(parent: JsonTree, key: string): JsonTree {
  child(parent, key);
  if (parent.is === 'list') {
    return { is: 'list', items: parent.items.toSpliced(indexOf(key, parent.items.length), 1) };
  }
  if (parent.is !== 'map') throw notThere();
  return { is: 'map', members: new Map([...parent.members].filter(([name]) => name !== key)) };
}

/** Returns a copy in which the value at a path is changed. Other objects stay the same. */
function change(
  tree: JsonTree,
  path: readonly string[],
  make: (parent: JsonTree, key: string) => JsonTree,
): JsonTree {
  const [key, ...rest] = path;
  if (key === undefined) throw notThere();
  return rest.length === 0 ? make(tree, key) : set(tree, key, change(child(tree, key), rest, make));
}

function at(tree: JsonTree, path: readonly string[]): JsonTree {
  let match = tree;
  for (const key of path) match = child(match, key);
  return match;
}

/** Throws for a missing child. */
function child(tree: JsonTree, key: string): JsonTree {
  let jsonTree: JsonTree | undefined;
  if (tree.is === 'map') jsonTree = tree.members.get(key);
  else if (tree.is === 'list') jsonTree = tree.items[indexOf(key, tree.items.length)];
  if (jsonTree === undefined) throw notThere();
  return jsonTree;
}

/** Parses a list index as in RFC 6901. */
function indexOf(key: string, limit: number): number {
  const index = /^(?:0|[1-9][0-9]*)$/.test(key) ? Number(key) : limit;
  if (index >= limit) throw notThere();
  return index;
}

function notThere(): RangeError {
  return new RangeError('there is no such path');
}

/** Returns the tokens of a pointer (RFC 6901) below the message. */
function pointerIn(operation: JsonMap, name: string): readonly string[] {
  const pointer = textIn(operation, name);
  if (pointer?.startsWith('/mcp_request/') !== true || /~(?![01])/.test(pointer)) {
    throw new RangeError(`its ${name} is not below /mcp_request/`);
  }
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueIn({ members }: JsonMap): JsonTree {
  const value = members.get('value');
  if (value === undefined) throw new RangeError('it has no value');
  return value;
}

function textIn({ members }: JsonMap, name: string): string | undefined {
  const value = members.get(name);
  const text: unknown = value?.is === 'leaf' ? JSON.parse(value.json) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/**
 * Parsed JSON whose numbers and texts keep their original text: `1.0` stays `1.0`, and so does a number that
 * no double represents. Names are looked up without a prototype, so that `constructor` is not found.
 */
export type JsonTree = JsonLeaf | JsonList | JsonMap;

export interface JsonLeaf {
  readonly is: 'leaf';
  readonly json: string;
}

export interface JsonList {
  readonly is: 'list';
  readonly items: readonly JsonTree[];
}

export interface JsonMap {
  readonly is: 'map';
  readonly members: ReadonlyMap<string, JsonTree>;
}

/** Throws a SyntaxError for invalid JSON, or repeated names. */
export function parseTree(text: string): JsonTree {
  let names = 0;
  // SAFETY: the reviver gets its own results for the parts of a value.
  const tree: unknown = JSON.parse(
    text,
    (_name, value: JsonTree[] | object, context?: { source?: string }) => {
      if (context?.source !== undefined) return { is: 'leaf', json: context.source };
      if (Array.isArray(value)) return { is: 'list', items: value };
      const members = new Map(Object.entries(value));
      names += members.size;
      return { is: 'map', members };
    },
  );
  // JSON.parse keeps the last of repeated names: then there are more colons than names.
  if (countColons(text) !== names) throw new SyntaxError('a member name occurs twice');
  return tree as JsonTree; // SAFETY: created above
}

export function printTree(tree: JsonTree): string {
  if (tree.is === 'leaf') return tree.json;
  if (tree.is === 'list') return `[${tree.items.map(printTree).join(',')}]`;
  const members = [...tree.members].map(([name, value]) => `${JSON.stringify(name)}:${printTree(value)}`);
  return `{${members.join(',')}}`;
}

/** Returns whether two values are equal (RFC 6902, section 4.6): numbers by value. */
export function equalTrees(one: JsonTree, other: JsonTree): boolean {
  if (one === other) return true;
  if (one.is === 'leaf' && other.is === 'leaf') return equalLeaves(one.json, other.json);
  if (one.is === 'list' && other.is === 'list') {
    return (
      one.items.length === other.items.length &&
      one.items.every((item, at) => {
        const counterpart = other.items[at];
        return counterpart !== undefined && equalTrees(item, counterpart);
      })
    );
  }
  if (one.is !== 'map' || other.is !== 'map' || one.members.size !== other.members.size) return false;
  return [...one.members].every(([name, value]) => {
    const counterpart = other.members.get(name);
    return counterpart !== undefined && equalTrees(value, counterpart);
  });
}

function equalLeaves(one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right]: unknown[] = [JSON.parse(one), JSON.parse(other)];
  if (left !== right) return false;
  // Above the exact range of a double, two different numbers would compare as equal.
  return typeof left !== 'number' || Math.abs(left) <= Number.MAX_SAFE_INTEGER;
}

function countColons(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) colons += 1;
    else if (code === 0x22) at = endOfString(text, at);
  }
  return colons;
}

/** Returns the index of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}

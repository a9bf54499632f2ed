import type { Node } from 'jsonc-parser';

export type JsonParser = typeof import('jsonc-parser');
export type JsonPath = readonly string[];

export function parseRoot(parser: JsonParser, text: string): Node | string | undefined {
  const errors: import('jsonc-parser').ParseError[] = [];
  const root = parser.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined)
    return `it is not valid JSON (line ${text.slice(0, first.offset).split('\n').length})`;
  return root === undefined || root.type === 'object' ? root : 'it is not an object';
}

export function nodeAt(root: Node | undefined, path: JsonPath): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, key) => (node === undefined ? undefined : memberNode(node, key)),
    root,
  );
}

export function memberNode({ type, children = [] }: Node, key: string): Node | undefined {
  return type === 'object'
    ? children.find((property) => property.children?.[0]?.value === key)?.children?.[1]
    : undefined;
}

export function hasTwice(root: Node | undefined, key: string): boolean {
  return (root?.children ?? []).filter(({ children }) => children?.[0]?.value === key).length > 1;
}

export function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [
      String(key?.value),
      value === undefined ? undefined : toValue(value),
    ]),
  );
}

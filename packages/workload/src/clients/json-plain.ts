import type { Node } from 'jsonc-parser';
import { type JsonParser, type JsonPath, parseRoot } from './json-tree.ts';

/** JSON value whose members are an ordered list, so that keys such as `__proto__` are safe. */
export type Plain =
  | { readonly members: readonly (readonly [string, Plain])[] }
  | { readonly items: readonly Plain[] }
  | { readonly scalar: unknown };

export function toPlain(node: Node): Plain {
  if (node.type === 'array') return { items: (node.children ?? []).map(toPlain) };
  if (node.type !== 'object') return { scalar: node.value };
  return {
    members: (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      value === undefined ? [] : [[String(key?.value), toPlain(value)] as const],
    ),
  };
}

export function plainOf(value: unknown): Plain {
  if (Array.isArray(value)) return { items: value.map(plainOf) };
  if (typeof value !== 'object' || value === null) return { scalar: value };
  return { members: Object.entries(value).map(([key, member]) => [key, plainOf(member)] as const) };
}

export function withMember(plain: Plain, [key, ...rest]: JsonPath, value: unknown): Plain {
  if (key === undefined) return plainOf(value);
  const members = 'members' in plain ? plain.members : [];
  const existing = members.find(([name]) => name === key)?.[1];
  const member = withMember(existing ?? { members: [] }, rest, value);
  if (existing === undefined) return { members: [...members, [key, member]] };
  return { members: members.map(([name, old]) => [name, name === key ? member : old]) };
}

export function withoutMember(plain: Plain, [key, ...rest]: JsonPath): Plain {
  if (!('members' in plain)) return plain;
  if (rest.length === 0) return { members: plain.members.filter(([name]) => name !== key) };
  return {
    members: plain.members.map(([name, old]) => [name, name === key ? withoutMember(old, rest) : old]),
  };
}

export function canonical(plain: Plain): string {
  return JSON.stringify(plain);
}

export function canonicalText(parser: JsonParser, text: string): string | undefined {
  const root = parseRoot(parser, text);
  return typeof root === 'string' || root === undefined ? undefined : canonical(toPlain(root));
}

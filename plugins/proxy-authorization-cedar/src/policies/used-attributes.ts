import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';
import type { Attributes } from '../engine/arguments.ts';

/**
 * Returns the attributes that policies read. Cedar names each attribute literally, so no other attribute
 * affects a decision. Returns undefined if a policy uses the whole context, as in `context == {…}`.
 */
export function usedAttributes(policies: readonly PolicyJson[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const open: unknown[] = policies.flatMap(({ conditions }) => conditions);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as readonly unknown[]));
    if (!isJsonObject(next)) continue;
    if (next['Var'] === 'context') return undefined;
    for (const [operator, operand] of Object.entries(next)) {
      if (operator === 'Value') continue;
      // Keys of a record are arbitrary and may equal operator names.
      if (operator === 'Record' && isJsonObject(operand)) {
        open.push(...Object.values(operand));
        continue;
      }
      const access = operator === '.' || operator === 'has' ? accessOf(operand) : undefined;
      if (access === undefined) open.push(operand);
      else {
        for (const name of access.names) names.add(name);
        if (!isContext(access.left)) open.push(access.left);
      }
    }
  }
  return names;
}

/** Keeps only these attributes, because Cedar parses everything that it gets. */
export function narrowTo(used: ReadonlySet<string> | undefined, attributes: Attributes): Attributes {
  if (used === undefined) return attributes;
  // Iterates over the names in policies, because callers choose the number of attributes.
  const names = [...used].filter((name) => Object.hasOwn(attributes, name));
  return Object.fromEntries(
    names.flatMap((name): [string, Attributes[string]][] => {
      const value = attributes[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Parses `left.name`, `left has name` and `left has name.inner`. */
function accessOf(
  operand: unknown,
): { readonly left: Readonly<Record<string, unknown>>; readonly names: readonly string[] } | undefined {
  if (!isJsonObject(operand)) return undefined;
  const { left, attr } = operand;
  const names: readonly unknown[] = Array.isArray(attr) ? attr : [attr];
  if (!isJsonObject(left) || !names.every((name) => typeof name === 'string')) return undefined;
  return { left, names };
}

function isContext(expr: Readonly<Record<string, unknown>>): boolean {
  return expr['Var'] === 'context';
}

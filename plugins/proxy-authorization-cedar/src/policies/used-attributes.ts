import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';
import type { Attributes } from '../engine/arguments.ts';

/**
 * Names of the attributes that policies look at, of whatever: in Cedar each is
 * written as a name, so that no other can make a difference. Undefined where one
 * looks at the context as a whole, as in `context == {…}`.
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
      // Members of a record have names of their own, which may be those of operators.
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

/** Those that are used: what Cedar does not get, it neither reads nor compares. */
export function narrowTo(used: ReadonlySet<string> | undefined, attributes: Attributes): Attributes {
  if (used === undefined) return attributes;
  // By the names that policies use: callers choose how many others there are.
  const names = [...used].filter((name) => Object.hasOwn(attributes, name));
  return Object.fromEntries(
    names.flatMap((name): [string, Attributes[string]][] => {
      const value = attributes[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** `left.name`, `left has name`, `left has name.inner`. */
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

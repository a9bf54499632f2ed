import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';
import { toDecimal } from './cedar-value.ts';

/**
 * Maximum number of arguments of a call. A call with more is denied before policies run: building and
 * explaining the request takes 4 ms of CPU for 1,000 arguments, and 2.6 s for 200,000.
 */
export const MAX_ARGUMENTS = 1000;

/** Attributes by name, such as `arg_city`. */
export type Attributes = Readonly<Record<string, CedarValueJson>>;

/**
 * Copies strings, booleans and numbers. For a list, map, null or a number out of range there is only
 * `arg_NAME_present`.
 * Returns undefined for invalid Unicode, which a server could interpret differently.
 */
export function argumentsOf(input: unknown): Attributes | undefined {
  if (!isJsonObject(input)) return {};
  const scalars: [string, CedarValueJson][] = [];
  const present: [string, CedarValueJson][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) return undefined;
    const seen = typeof value === 'number' ? toDecimal(value) : value;
    if (typeof value === 'number' ? seen === undefined : !isScalar(seen)) {
      present.push([`arg_${name}_present`, true]);
      // SAFETY: only scalars are left, and decimals come from `toDecimal`.
    } else scalars.push([`arg_${name}`, seen as CedarValueJson]);
  }
  // Set last, so that no argument named `x_present` overrides it.
  return Object.fromEntries([...scalars, ...present]);
}

function isScalar(value: unknown): value is string | boolean {
  return typeof value === 'string' || typeof value === 'boolean';
}

import { findSecretReference } from './secret-reference.ts';

/** Matches a placeholder of a secret in an argument or URL: `$(api_key)`. */
const PLACE = /\$\(([\w.-]+)\)/g;

/** Returns the placeholder that the secret replaces when the workload starts. */
export function inlineSecret(target: string): string {
  return `$(${target})`;
}

/** Converts the name of an input to a valid placeholder name. */
export function inlineTarget(input: string): string {
  const target = input.replaceAll(/[^\w.-]+/g, '_').replace(/^-+/, '');
  return /^[A-Za-z_]/.test(target) ? target : `_${target}`;
}

/**
 * Replaces placeholders by secrets. `values` maps names of stored secrets to their values. A placeholder
 * without a reference or value stays.
 */
export function fillInlineSecrets(
  text: string,
  references: readonly string[],
  values: Readonly<Record<string, string>>,
  write: (value: string) => string = (value) => value,
): string {
  if (references.length === 0) return text;
  const byTarget = inlineValues(references, values);
  return text.replaceAll(PLACE, (whole, target: string) => {
    const value = byTarget.get(target);
    return value === undefined ? whole : write(value);
  });
}

/** Returns the secrets by the name of their placeholder. */
export function inlineValues(
  references: readonly string[],
  values: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map(
    references.flatMap((text) => {
      const reference = findSecretReference(text);
      const value =
        reference !== undefined && Object.hasOwn(values, reference.name) ? values[reference.name] : undefined;
      return reference === undefined || value === undefined ? [] : [[reference.target, value] as const];
    }),
  );
}

/** Encodes a secret so that no character of it ends the path or query component. */
export function encodeInUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(/%(?:2F|3A|40|2C|3B|24)/g, decodeURIComponent);
}

/** Returns whether a URL path contains a secret, so that messages must not show it. */
export function hasSecretPath(url: string, references: readonly string[]): boolean {
  const { pathname } = new URL(url);
  return references.some((text) => {
    const target = findSecretReference(text)?.target;
    return target !== undefined && pathname.includes(inlineSecret(target));
  });
}

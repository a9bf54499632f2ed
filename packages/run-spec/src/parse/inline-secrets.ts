import { findSecretReference } from './secret-reference.ts';

/** Placeholder of a secret in an argument or URL: `$(api_key)`. */
const PLACE = /\$\(([\w.-]+)\)/g;

/** Returns the placeholder of a secret until the workload starts. */
export function inlineSecret(target: string): string {
  return `$(${target})`;
}

/** Returns a name for the placeholder of a secret that is valid as a container variable. */
export function inlineTarget(input: string): string {
  const target = input.replaceAll(/[^\w.-]+/g, '_').replace(/^-+/, '');
  return /^[A-Za-z_]/.test(target) ? target : `_${target}`;
}

/**
 * Replaces every `$(TARGET)` of the references with its secret's value. `values` are by secret name. A
 * placeholder without a reference or value stays.
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

/** Returns the values of secrets by the name of their placeholder. */
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

/** Encodes a secret for a path or query, so that no character of it ends the component. */
export function encodeInUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(/%(?:2F|3A|40|2C|3B|24)/g, decodeURIComponent);
}

/** Returns whether the path of a URL contains secrets, so that it must not be shown. */
export function hasSecretPath(url: string, references: readonly string[]): boolean {
  const { pathname } = new URL(url);
  return references.some((text) => {
    const target = findSecretReference(text)?.target;
    return target !== undefined && pathname.includes(inlineSecret(target));
  });
}

import { findSecretReference } from './secret-reference.ts';

/** The place of a secret in an argument or a URL: `$(api_key)`. */
const PLACE = /\$\(([\w.-]+)\)/g;

/** Returns the text that stands for a secret until the workload starts. */
export function inlineSecret(target: string): string {
  return `$(${target})`;
}

/** Returns a name for the place of a secret, as a variable of a container may have. */
export function inlineTarget(input: string): string {
  const target = input.replaceAll(/[^\w.-]+/g, '_').replace(/^-+/, '');
  return /^[A-Za-z_]/.test(target) ? target : `_${target}`;
}

/**
 * Returns a text with every `$(TARGET)` of the references replaced by the value of its secret.
 * `values` are by the name of the secret. A place without reference or value stays as it is.
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

/** Returns the values of secrets by the name of their place. */
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

/** Returns a secret as part of a path or query: no character of it ends the part. */
export function encodeInUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(/%(?:2F|3A|40|2C|3B|24)/g, decodeURIComponent);
}

/** Returns whether secrets stand in the path of a URL, which then is shown nowhere. */
export function hasSecretPath(url: string, references: readonly string[]): boolean {
  const { pathname } = new URL(url);
  return references.some((text) => {
    const target = findSecretReference(text)?.target;
    return target !== undefined && pathname.includes(inlineSecret(target));
  });
}

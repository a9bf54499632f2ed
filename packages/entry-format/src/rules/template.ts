import { memberOf } from '../json-value.ts';

/** Returns the distinct placeholder names of a template: `port` in `http://localhost:{port}/mcp`. */
export function namesInTemplate(template: string): readonly string[] {
  return [...new Set([...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? ''))];
}

const PLACEHOLDER = /(?<![${])\{([A-Za-z_][\w.-]*)\}(?!\})/g;

/**
 * Returns the distinct names of `{name}` that `variables` does not define. Braces of other texts, such as
 * `{"a":1}`, `${HOME}` or `{{name}}`, are not placeholders.
 */
export function undefinedNames(value: string, variables: unknown): readonly string[] {
  const names = [...value.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => memberOf(variables, name) === undefined);
}

/** Parses a template as an address, with the same letter in place of every placeholder. */
export function parseTemplate(template: string): URL | undefined {
  return URL.parse(template.replaceAll(/\{[^{}]*\}/g, 'x')) ?? undefined;
}

/** Returns whether an address is absolute, https, and has a host. */
export function isHttpsAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.protocol === 'https:' && url.hostname !== '';
}

import { memberOf } from '../json-value.ts';

/** Names in a template, each once: `port` in `http://localhost:{port}/mcp`. */
export function namesInTemplate(template: string): readonly string[] {
  return [...new Set([...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? ''))];
}

const PLACEHOLDER = /(?<![${])\{([A-Za-z_][\w.-]*)\}(?!\})/g;

/**
 * Returns the names of `{name}` in a value that `variables` does not define, each once.
 * Braces of other texts, such as `{"a":1}`, `${HOME}` or `{{name}}`, are no placeholders.
 */
export function undefinedNames(value: string, variables: unknown): readonly string[] {
  const names = [...value.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => memberOf(variables, name) === undefined);
}

/** The template as an address, every name replaced by the same letter; undefined when it is none. */
export function parseTemplate(template: string): URL | undefined {
  return URL.parse(template.replaceAll(/\{[^{}]*\}/g, 'x')) ?? undefined;
}

/** Whether an address is absolute, https, and has a host. */
export function isHttpsAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.protocol === 'https:' && url.hostname !== '';
}

/** Names in a template, each once: `port` in `http://localhost:{port}/mcp`. */
export function namesInTemplate(template: string): readonly string[] {
  return [...new Set([...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? ''))];
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

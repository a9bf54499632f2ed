/**
 * Parses the configuration of a client: JSON, JSON with comments and trailing commas, JSON members without
 * braces around them, TOML and YAML. Returns undefined for other text.
 */
export async function parseForeignText(text: string): Promise<unknown> {
  const json = parseForeignJson(text);
  if (json !== undefined) return json;
  if (/^\s*\[{1,2}[\w.'" -]+\]{1,2}\s*(?:#.*)?$/m.test(text)) {
    const { parse } = await import('@decimalturn/toml-patch');
    return attempt(() => parse(text));
  }
  if (!/^\s*[\w.-]+:(?:\s|$)/.test(text)) return undefined;
  const { parse } = await import('yaml');
  return attempt(() => parse(text));
}

/**
 * Parses JSON with comments and trailing commas, which some clients accept. Returns undefined for other text.
 */
function parseForeignJson(text: string): unknown {
  for (const form of [text, `{${text.trim().replace(/,$/, '')}}`, withoutComments(text)]) {
    const parsed = attempt(() => JSON.parse(form));
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function withoutComments(text: string): string {
  return text
    .replaceAll(
      /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g,
      (_whole, quoted: string | undefined) => quoted ?? '',
    )
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_whole, quoted: string | undefined) => quoted ?? '');
}

function attempt(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined; // not this format; the caller tries others
  }
}

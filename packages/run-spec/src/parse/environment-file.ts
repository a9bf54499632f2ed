import { type KeyValue, parseEnvironmentVariable } from './key-value.ts';

/** Variables in the order of their first line; a later line wins. */
export type Variables = ReadonlyMap<string, string>;

/**
 * Lines `KEY=VALUE`, each perhaps behind `export `. Empty lines and lines that
 * start with `#` count for nothing; quotes and backslashes are part of the
 * value. Throws ERR_ENVIRONMENT_VARIABLE, its place being `FILE:LINE`.
 */
export function parseEnvironmentFile(text: string, file: string): Variables {
  const variables = new Map<string, string>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const { key, value } = parseLine(line.replace(/^export\s+/, ''), `${file}:${index + 1}`);
    variables.set(key, value);
  }
  return variables;
}

/** White space around the `=` belongs to neither side. */
function parseLine(line: string, place: string): KeyValue {
  const at = line.indexOf('=');
  if (at === -1) return parseEnvironmentVariable(line, place);
  return parseEnvironmentVariable(`${line.slice(0, at).trimEnd()}=${line.slice(at + 1).trimStart()}`, place);
}

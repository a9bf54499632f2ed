import { type KeyValue, parseEnvironmentVariable } from './key-value.ts';

/** Variables by name. The last line for a name takes precedence. */
export type Variables = ReadonlyMap<string, string>;

/**
 * Parses `KEY=VALUE`, optionally after `export `. Ignores empty lines and `#` lines. Quotes and backslashes
 * are part of the value. Throws ERR_SETTING with the place `FILE:LINE`.
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

const MAX_NAMED_LINES = 5;

/**
 * Returns a warning about lines whose value is quoted or contains ` #`, because other parsers strip these
 * characters. The warning quotes no value.
 */
export function warnOfLiteralMarks(text: string, file: string): string | undefined {
  const lines = text.split(/\r?\n/).flatMap((line, index) => (hasMarks(line.trim()) ? [index + 1] : []));
  if (lines.length === 0) return undefined;
  const more = lines.length > MAX_NAMED_LINES ? ` and ${lines.length - MAX_NAMED_LINES} more lines` : '';
  const named = lines
    .slice(0, MAX_NAMED_LINES)
    .map((line) => `${file}:${line}`)
    .join(', ');
  return `${named}${more}: quotes around a value, and " #" with what follows, are part of the value. Remove them unless the server expects them.`;
}

function hasMarks(line: string): boolean {
  if (line.startsWith('#')) return false;
  const value = line.slice(line.indexOf('=') + 1).trim();
  return /^(["']).*\1$|\s#/.test(value);
}

/** Parses a line, and trims white space around the `=`. */
function parseLine(line: string, place: string): KeyValue {
  const at = line.indexOf('=');
  if (at === -1) return parseEnvironmentVariable(line, place);
  return parseEnvironmentVariable(`${line.slice(0, at).trimEnd()}=${line.slice(at + 1).trimStart()}`, place);
}

import type { Fields, ServerMap } from './yaml-servers.ts';

export function blockLines(
  { isList }: ServerMap,
  indent: string,
  name: string,
  fields: Fields,
): readonly string[] {
  const entries = Object.entries(fields).map(([key, value]) => `${quoteKey(key)}: ${JSON.stringify(value)}`);
  if (isList) return entries.map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`);
  return [`${indent}${quoteKey(name)}:`, ...entries.map((line) => `${indent}  ${line}`)];
}

export function insertLines(text: string, at: number, lines: readonly string[], eol: string): string {
  const before = text.slice(0, at);
  const isOpen = before !== '' && !before.endsWith('\n');
  const inserted = isOpen ? eol + lines.join(eol) : linesText(lines, eol);
  return before + inserted + text.slice(at);
}

export function linesText(lines: readonly string[], eol: string): string {
  return lines.map((line) => line + eol).join('');
}

/** Quotes a key unless YAML reads it as a string without quotes. */
function quoteKey(key: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key);
  return isPlain ? key : JSON.stringify(key);
}

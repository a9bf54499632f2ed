import { type ErrorCode, LineCounter, parseDocument } from 'yaml';
import { configSyntax } from './config-errors.ts';
import { type ParsedText, positionFinder } from './parse-yaml.ts';

/**
 * Parses a JSON configuration. Throws ERR_CONFIG_SYNTAX with the position of the first fault, such as a
 * duplicate key or excessive nesting. The error does not quote the text, which may contain a secret.
 */
export function parseJson(text: string, file: string): ParsedText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's message quotes the text, which may be a secret.
    throw configSyntax(file, { ...locate(text, faultOffset(text)), what: NOT_JSON });
  }
  // `JSON.parse` reports no positions of values and no duplicate keys. JSON is a subset of YAML, so the YAML
  // parser provides both.
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fault = document.errors.find(({ code }) => Object.hasOwn(FAULTS, code));
  if (fault !== undefined) {
    throw configSyntax(file, { ...locate(text, fault.pos[0]), what: FAULTS[fault.code] ?? NOT_JSON });
  }
  return { value, positionOf: positionFinder(document, lines) };
}

const NOT_JSON = 'this is no valid JSON, which has neither comments nor a comma behind the last item';

const FAULTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  DUPLICATE_KEY: 'this key stands twice in the same map',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
};

/**
 * Returns the offset of the first character that is invalid JSON, or the length of the text when the text
 * ends too early.
 */
function faultOffset(text: string): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (mayGoOn(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function mayGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError; // JSON.parse throws nothing else
    const position = /at position (\d+)/.exec(message)?.[1];
    if (position !== undefined)
      return Number(position) >= beginning.length || message.startsWith('Unterminated');
    return message.startsWith('Unexpected end');
  }
}

/** Returns the line and column of an offset, which both count from 1. */
export function locate(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

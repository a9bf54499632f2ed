import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { configSyntax } from './config-errors.ts';
import type { ConfigPath, Position, PositionFinder } from '../faults/config-path.ts';

export interface ParsedText {
  readonly value: unknown;
  readonly positionOf: PositionFinder;
}

/**
 * Parses YAML 1.2 with merge keys (`<<`). Throws ERR_CONFIG_SYNTAX with the position of the first fault, such
 * as duplicate keys, and without the text, which may be a secret.
 */
export function parseYaml(text: string, file: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [fault] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (fault !== undefined) {
    const [offset] = fault.pos;
    // Detects an unquoted `${NAME}`: YAML interprets its brace as the start of a map.
    if (text.slice(offset - 1, offset + 1) === '${')
      throw configSyntax(file, { ...at(offset - 1), what: REFERENCE_IN_FLOW });
    throw configSyntax(file, { ...at(offset), what: SENTENCES[fault.code] ?? NOT_YAML });
  }
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      throw configSyntax(file, { ...at(startOf(alias) ?? 0), what: SENTENCES.BAD_ALIAS ?? NOT_YAML });
    },
  });
  return { value: toValue(document, file), positionOf: positionFinder(document, lines) };
}

export function positionFinder(document: Document.Parsed, lines: LineCounter): PositionFinder {
  return (place) => {
    const offset = offsetOf(document, place);
    if (offset === undefined) return undefined;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

function toValue(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS();
  } catch {
    // The parser rejected undefined aliases earlier, so this error means that aliases expand to too much
    // data.
    throw configSyntax(file, { line: 1, column: 1, what: 'it uses too many aliases' });
  }
}

function offsetOf(document: Document.Parsed, place: ConfigPath): number | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of place) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === part);
      if (pair === undefined) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number' && node.items[part] !== undefined) {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : undefined;
}

const REFERENCE_IN_FLOW = 'inside braces and brackets, a value with ${NAME} in it needs quotes';
const NOT_YAML = 'this is no valid YAML';

/**
 * Portolan's own message for each error of the YAML parser, because the parser's messages quote the text,
 * which may be a secret.
 */
const SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: 'an alias (*) has no anchor (&) before it; a text that begins with * needs quotes',
  BAD_COLLECTION_TYPE: 'this tag does not fit a list or map',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an unknown escape; use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines around it',
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a key and its value cannot stand behind another key on one line',
  BLOCK_IN_FLOW: 'inside brackets, lists and maps need brackets too',
  DUPLICATE_KEY: 'this key stands twice in the same map',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing here',
  MULTILINE_IMPLICIT_KEY: 'a key has to stand on one line, with a colon behind it',
  MULTIPLE_DOCS: 'there is more than one document in it (---)',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'a tab is used as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'this tag (!) is not known; a text that begins with ! needs quotes',
};

import { LRUCache } from 'lru-cache';
import { parametersInvalid } from '../errors.ts';
import type { RequestContext } from '../request-state.ts';
import type { Step } from '../route.ts';
import { expectedOf, type ParameterTable, type ValuesOf } from './parameter.ts';
import { createParser, type ParseValue } from './parse-value.ts';
import { MALFORMED, queryPairs } from './query-text.ts';

type Values = Readonly<Record<string, unknown>>;

/** The checked parameters of one request, and the tables they were checked against. */
export interface Parameters {
  readonly pathTable: ParameterTable;
  readonly path: Values;
  readonly queryTable: ParameterTable;
  readonly query: Values;
  /** The same text for the same values, however the request wrote them. */
  readonly key: string;
}

/** Most different queries whose values are remembered for a route, and the longest of them. */
const REMEMBERED = 500;
const LONGEST_REMEMBERED = 512;

/**
 * Checks path and query against their tables and leaves the values in the
 * state. Unknown query parameters are ignored and empty ones count as left out.
 * Throws ERR_PARAMETER_INVALID naming every problem and what is accepted.
 */
export function readParameters(pathTable: ParameterTable, queryTable: ParameterTable): Step {
  const readPath = createPathReader(pathTable);
  const readQuery = remembering(createQueryReader(queryTable));
  return ({ state, req }) => {
    const path = readPath(state.pathText);
    const query = readQuery(queryOf(req.url ?? ''));
    const key = `${path.key}?${query.key}`;
    state.parameters = { pathTable, path: path.values, queryTable, query: query.values, key };
  };
}

/** Path parameters, typed by their table. Throws when `readParameters` did not run with this table before. */
export function pathValues<T extends ParameterTable>(ctx: RequestContext, table: T): ValuesOf<T> {
  const { parameters } = ctx.state;
  if (parameters?.pathTable !== table)
    throw new TypeError('readParameters has to come first, with this table');
  // SAFETY: the values were read by this very table.
  return parameters.path as ValuesOf<T>;
}

/** Query parameters, typed by their table. Throws when `readParameters` did not run with this table before. */
export function queryValues<T extends ParameterTable>(ctx: RequestContext, table: T): ValuesOf<T> {
  const { parameters } = ctx.state;
  if (parameters?.queryTable !== table)
    throw new TypeError('readParameters has to come first, with this table');
  // SAFETY: the values were read by this very table.
  return parameters.query as ValuesOf<T>;
}

interface Read {
  readonly values: Values;
  readonly key: string;
}

function createPathReader(table: ParameterTable): (texts: Readonly<Record<string, string>>) => Read {
  const parsers = parsersOf(table);
  return (texts) => {
    const values: Record<string, unknown> = {};
    const problems: string[] = [];
    let key = '';
    for (const { name, parse, expected } of parsers) {
      const value = parse(texts[name] ?? '');
      if (value === undefined) problems.push(problem('path', name, texts[name] ?? '', expected));
      values[name] = value;
      // No path parameter accepts a line feed.
      key += `${String(value)}\n`;
    }
    if (problems.length > 0) throw parametersInvalid(problems, undefined);
    return { values, key };
  };
}

/** Reads a raw query string by a table. The reader throws ERR_PARAMETER_INVALID. */
export function createQueryReader<T extends ParameterTable>(
  table: T,
): (raw: string) => { readonly values: ValuesOf<T>; readonly key: string } {
  const parsers = parsersOf(table);
  const accepted = acceptedText(table);
  return (raw) => {
    const { texts, problems } = collectTexts(raw, table);
    const values: Record<string, unknown> = {};
    for (const { name, parse, expected, fallback } of parsers) {
      const text = texts.get(name);
      const value = text === undefined ? fallback : parse(text);
      if (text !== undefined && value === undefined) problems.push(problem('query', name, text, expected));
      values[name] = value;
    }
    if (problems.length > 0) throw parametersInvalid(problems, accepted);
    // SAFETY: every name of the table has the value its own parser or default gave.
    return { values: values as ValuesOf<T>, key: JSON.stringify(values) };
  };
}

function collectTexts(
  raw: string,
  table: ParameterTable,
): { texts: Map<string, string>; problems: string[] } {
  const texts = new Map<string, string>();
  const problems: string[] = [];
  for (const [name, text] of queryPairs(raw)) {
    if (!Object.hasOwn(table, name)) continue;
    if (text === MALFORMED) problems.push(`Query parameter "${name}" has a malformed percent escape.`);
    else if (texts.has(name)) problems.push(`Query parameter "${name}" is given more than once.`);
    else if (text !== '') texts.set(name, text);
  }
  return { texts, problems };
}

interface NamedParser {
  readonly name: string;
  readonly parse: ParseValue;
  readonly expected: string;
  readonly fallback: unknown;
}

function parsersOf(table: ParameterTable): readonly NamedParser[] {
  return Object.entries(table).map(([name, parameter]) => ({
    name,
    parse: createParser(parameter),
    expected: expectedOf(parameter),
    fallback: parameter.schema.default,
  }));
}

function problem(place: 'path' | 'query', name: string, found: string, expected: string): string {
  const shown = found.length <= 60 ? found : `${found.slice(0, 57)}...`;
  const subject = place === 'path' ? 'Path parameter' : 'Query parameter';
  return `${subject} "${name}" is ${JSON.stringify(shown)}; expected ${expected}.`;
}

function acceptedText(table: ParameterTable): string {
  const all = Object.entries(table).map(([name, parameter]) => `${name} (${expectedOf(parameter)})`);
  return all.length === 0 ? 'No query parameters are accepted here.' : `Accepted: ${all.join('; ')}.`;
}

/** The same short query comes again and again: its values are read once. They are frozen by their types. */
function remembering(read: (raw: string) => Read): (raw: string) => Read {
  const known = new LRUCache<string, Read>({ max: REMEMBERED });
  return (raw) => {
    if (raw.length > LONGEST_REMEMBERED) return read(raw);
    const before = known.get(raw);
    if (before !== undefined) return before;
    const result = read(raw);
    known.set(raw, result);
    return result;
  };
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return '';
  const hash = url.indexOf('#', at);
  return hash < 0 ? url.slice(at + 1) : url.slice(at + 1, hash);
}

import { parametersInvalid } from '../errors.ts';
import { expectedOf, type ParameterTable, type ValuesOf } from './parameter.ts';
import { createParser, type ParseValue } from './parse-value.ts';
import { MALFORMED, queryPairs } from './query-text.ts';

export interface Read {
  readonly values: Readonly<Record<string, unknown>>;
  /** Text that is equal for equal values. */
  readonly key: string;
}

/** Creates a reader of path parameters. The reader throws ERR_PARAMETER_INVALID. */
export function createPathReader(table: ParameterTable): (texts: Readonly<Record<string, string>>) => Read {
  const parsers = parsersOf(table);
  return (texts) => {
    const values: Record<string, unknown> = {};
    const problems: string[] = [];
    let key = '';
    for (const { name, called, parse, expected } of parsers) {
      const value = parse(texts[name] ?? '');
      if (value === undefined)
        problems.push(problem(called ?? `"${name}" in the path`, texts[name] ?? '', expected));
      values[name] = value;
      // A line feed separates the values, because no path parameter accepts one.
      key += `${String(value)}\n`;
    }
    if (problems.length > 0) throw parametersInvalid(problems, undefined);
    return { values, key };
  };
}

/** Creates a reader of raw query strings. The reader throws ERR_PARAMETER_INVALID. */
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
      if (text !== undefined && value === undefined)
        problems.push(problem(`Query parameter "${name}"`, text, expected));
      values[name] = value;
    }
    if (problems.length > 0) throw parametersInvalid(problems, accepted);
    // SAFETY: every name has a value from its parser or default.
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
    else if (text !== '' || table[name]?.refusesEmpty === true) texts.set(name, text);
  }
  return { texts, problems };
}

interface NamedParser {
  readonly name: string;
  readonly called: string | undefined;
  readonly parse: ParseValue;
  readonly expected: string;
  readonly fallback: unknown;
}

function parsersOf(table: ParameterTable): readonly NamedParser[] {
  return Object.entries(table).map(([name, parameter]) => ({
    name,
    called: parameter.called,
    parse: createParser(parameter),
    expected: expectedOf(parameter),
    fallback: parameter.schema.default,
  }));
}

function problem(subject: string, actual: string, expected: string): string {
  const shown = actual.length <= 60 ? actual : `${actual.slice(0, 57)}...`;
  return `${subject} is ${JSON.stringify(shown)}; expected ${expected}.`;
}

function acceptedText(table: ParameterTable): string {
  const all = Object.entries(table).map(([name, parameter]) => `${name} (${expectedOf(parameter)})`);
  return all.length === 0 ? 'No query parameters are accepted here.' : `Accepted: ${all.join('; ')}.`;
}

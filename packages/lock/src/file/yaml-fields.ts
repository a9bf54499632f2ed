import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair, type YAMLMap } from 'yaml';
import type { TextRule } from './field-checks.ts';

/** A member of a map in YAML. */
export interface Field {
  readonly name: string;
  /** Path in messages, such as `workloads.github.tools["a b"]`. */
  readonly path: string;
  /** Offset of the key in the file. */
  readonly start: number;
  readonly value: unknown;
}

export type Fields = ReadonlyMap<string, Field>;

/** Keys of a map: required ones and others. */
export interface Keys {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
}

/** Reads fields of a YAML document and collects every problem with its line and column. */
export class YamlFields {
  readonly #problems: { readonly offset: number; readonly text: string }[] = [];
  readonly #lines: LineCounter;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /** Problems in the order of the file: `line 4, column 7: …`. */
  get problems(): readonly string[] {
    return this.#problems
      .toSorted((left, right) => left.offset - right.offset)
      .map(({ offset, text }) => {
        const { line, col } = this.#lines.linePos(offset);
        return `line ${line}, column ${col}: ${text}`;
      });
  }

  report(offset: number, text: string): void {
    this.#problems.push({ offset, text });
  }

  /** Returns the members of a map by name. Reports another value, unknown keys and missing ones. */
  map(value: unknown, { path, start }: Pick<Field, 'path' | 'start'>, keys?: Keys): Fields {
    if (!isMap(value)) {
      this.#mismatch({ path, start, value }, 'a map');
      return new Map();
    }
    const fields = this.#members(value, path);
    if (keys === undefined) return fields;
    const known = [...keys.required, ...(keys.optional ?? [])];
    for (const field of fields.values())
      if (!known.includes(field.name))
        this.report(field.start, `${field.path}: found an unknown key; expected one of ${known.join(', ')}`);
    for (const name of keys.required)
      if (!fields.has(name)) this.report(start, `${joinPath(path, name)}: found nothing; expected this key`);
    return fields;
  }

  /** Returns a text, or undefined if the field is absent or invalid. */
  text(field: Field | undefined, rule: TextRule): string | undefined {
    if (field === undefined) return undefined;
    const value = isScalar(field.value) ? field.value.value : undefined;
    if (typeof value === 'string' && rule.isValid(value)) return value;
    this.#mismatch(field, rule.expected);
    return undefined;
  }

  number(field: Field | undefined, expected: number): void {
    if (field === undefined) return;
    const value = isScalar(field.value) ? field.value.value : undefined;
    if (value !== expected) this.#mismatch(field, String(expected));
  }

  /** Returns the texts of a list. */
  texts(field: Field | undefined, rule: TextRule): readonly string[] {
    if (field === undefined) return [];
    if (!isSeq(field.value)) {
      this.#mismatch(field, 'a list');
      return [];
    }
    return field.value.items.flatMap((item, index) => {
      const path = `${field.path}[${index}]`;
      return this.text({ name: '', path, start: offsetOf(item) ?? field.start, value: item }, rule) ?? [];
    });
  }

  #members(map: YAMLMap, path: string): Fields {
    const fields = new Map<string, Field>();
    // SAFETY: items of a parsed map are pairs.
    for (const { key, value } of map.items as readonly Pair[]) {
      const start = offsetOf(key) ?? 0;
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name === 'string') fields.set(name, { name, path: joinPath(path, name), start, value });
      else
        this.report(
          start,
          `${path === '' ? 'the file' : path}: found a key that is no text; expected a text`,
        );
    }
    return fields;
  }

  #mismatch({ path, start, value }: Pick<Field, 'path' | 'start' | 'value'>, expected: string): void {
    const at = offsetOf(value) ?? start;
    this.report(at, `${path === '' ? 'the file' : path}: found ${describe(value)}; expected ${expected}`);
  }
}

function joinPath(path: string, name: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${path}[${JSON.stringify(name.slice(0, 60))}]`;
  return path === '' ? name : `${path}.${name}`;
}

function offsetOf(node: unknown): number | undefined {
  // SAFETY: only nodes of YAML have a range.
  return (node as Node | null | undefined)?.range?.[0];
}

/** Describes a value without its text, which may be secret. */
function describe(value: unknown): string {
  if (isMap(value)) return 'a map';
  if (isSeq(value)) return 'a list';
  if (isAlias(value)) return 'an alias';
  const scalar = isScalar(value) ? value.value : value;
  if (scalar === null || scalar === undefined) return 'nothing';
  return typeof scalar === 'number'
    ? String(scalar)
    : typeof scalar === 'string'
      ? 'another text'
      : `a ${typeof scalar}`;
}

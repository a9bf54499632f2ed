import { isJsonObject, type JsonMembers, ownMembers } from './json-members.ts';

function sentence(place: string, actual: unknown, expected: string): string {
  return `${place === '' ? 'the document' : place}: found ${describe(actual, place)}; expected ${expected}`;
}

/**
 * Parser of an untrusted document that collects all problems. Absent or null fields get their type's zero
 * value. Problems never contain values, because any value may be secret.
 */
export class FieldReader {
  readonly problems: string[] = [];
  readonly #prefix: string;

  /** `prefix` precedes the path of a field in each problem. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  problem(place: string, actual: unknown, expected: string): void {
    this.problems.push(sentence(this.#prefix + place, actual, expected));
  }

  map(value: unknown, place: string): JsonMembers {
    if (isJsonObject(value)) return ownMembers(value);
    if (value !== undefined && value !== null) this.problem(place, value, 'a map');
    return ownMembers({});
  }

  text(map: JsonMembers, key: string, at = ''): string {
    return this.#read(map, key, at, '', 'a text', (value) => typeof value === 'string');
  }

  integer(map: JsonMembers, key: string, at = ''): number {
    return this.#read(map, key, at, 0, 'a whole number', isInteger);
  }

  truth(map: JsonMembers, key: string, at = ''): boolean {
    return this.#read(map, key, at, false, 'true or false', (value) => typeof value === 'boolean');
  }

  optionalTruth(map: JsonMembers, key: string, at = ''): boolean | undefined {
    const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
    return this.#read<boolean | undefined>(map, key, at, undefined, 'true or false', isBoolean);
  }

  texts(map: JsonMembers, key: string, at = ''): readonly string[] {
    return this.#list(map, key, at, 'a text', (value) => typeof value === 'string');
  }

  integers(map: JsonMembers, key: string, at = ''): readonly number[] {
    return this.#list(map, key, at, 'a whole number', isInteger);
  }

  objects(map: JsonMembers, key: string, at = ''): readonly JsonMembers[] {
    return this.#list(map, key, at, 'a map', isJsonObject);
  }

  /** Returns a map of strings; undefined members count as absent. */
  textMap(map: JsonMembers, key: string, at = ''): Readonly<Record<string, string>> {
    const place = pathOf(at, key);
    const texts: [string, string][] = [];
    for (const [name, value] of Object.entries(this.map(map[key], place))) {
      if (typeof value === 'string') texts.push([name, value]);
      else this.problem(pathOf(place, name), value, 'a text');
    }
    return ownMembers(Object.fromEntries(texts)) as Readonly<Record<string, string>>; // strings only
  }

  /** Returns undefined when absent. */
  object(map: JsonMembers, key: string, at = ''): JsonMembers | undefined {
    const value = map[key];
    return value === undefined || value === null ? undefined : this.map(value, pathOf(at, key));
  }

  refuseOthers(map: JsonMembers, at: string, known: readonly string[]): void {
    for (const key of Object.keys(map)) {
      if (known.includes(key)) continue;
      this.problems.push(
        `${this.#prefix}${pathOf(at, key)}: found an unknown key; expected one of ${known.join(', ')}`,
      );
    }
  }

  #read<Value>(
    map: JsonMembers,
    key: string,
    at: string,
    zero: Value,
    expected: string,
    isOne: (value: unknown) => value is Value,
  ): Value {
    const value = map[key];
    if (value === undefined || value === null) return zero;
    if (isOne(value)) return value;
    this.problem(pathOf(at, key), value, expected);
    return zero;
  }

  #list<Item>(
    map: JsonMembers,
    key: string,
    at: string,
    expected: string,
    isOne: (value: unknown) => value is Item,
  ): readonly Item[] {
    const value = map[key];
    if (value === undefined || value === null) return [];
    const place = pathOf(at, key);
    if (!Array.isArray(value)) {
      this.problem(place, value, 'a list');
      return [];
    }
    return value.filter((item: unknown, index): item is Item => {
      if (isOne(item)) return true;
      this.problem(`${place}[${index}]`, item, expected);
      return false;
    });
  }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Returns `network.outbound` or `env_vars["odd key"]`. */
export function pathOf(at: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${at}[${JSON.stringify(key.slice(0, 60))}]`;
  return at === '' ? key : `${at}.${key}`;
}

/** Matches paths of fields whose values may be secret. */
const SECRET_PLACE = /secret|password|token|key|credential|header|env|auth|config|argument|args/i;
/** Matches texts that a problem may quote. It excludes URLs, because a query may contain a key. */
const SHOWN_TEXT = /^(?!.*:\/\/)[\w .,:/@+-]{0,60}$/;

/** Describes a value in a problem: only its type if the value may be secret. */
function describe(value: unknown, place: string): string {
  if (typeof value === 'string' && !SECRET_PLACE.test(place) && SHOWN_TEXT.test(value))
    return JSON.stringify(value);
  if (typeof value === 'number' && !SECRET_PLACE.test(place)) return String(value);
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

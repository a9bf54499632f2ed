import { decodeString, endOfString, isClosing, isOpening, membersOf, skipBlanks } from './json-text.ts';

/** Most levels of objects and arrays in a message, and inside `params.arguments`. */
export const MOST_LEVELS = { outsideArguments: 64, insideArguments: 512 } as const;

/** Names that mean something to the protocol, and below some of them the names in their values. */
interface NameTree {
  readonly [name: string]: NameTree | undefined;
}

const NAMES: NameTree = namesOf(['jsonrpc', 'id', 'method', 'result', 'error'], {
  params: namesOf(
    ['_meta', 'name', 'uri', 'arguments', 'taskId', 'requestId', 'progressToken', 'protocolVersion'],
    {
      // What is completed, and what is listened to, are decided by these.
      ref: namesOf(['type', 'name', 'uri']),
      notifications: namesOf(['resourceSubscriptions', 'taskIds']),
    },
  ),
});

interface Level {
  /** Of an object, what it has so far; undefined in an array. */
  readonly names: Names | undefined;
  readonly inArguments: boolean;
  /** Levels that count against the limit. */
  readonly depth: number;
  /** Name of the member whose value comes next. */
  name: string;
}

/** Few are compared one by one, which is faster; many could be sent to make that slow. */
class Names {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  /** Whether it is new. */
  add(name: string): boolean {
    if (this.#many === undefined) {
      if (this.#few.includes(name)) return false;
      this.#few.push(name);
      if (this.#few.length > MOST_COMPARED) this.#many = new Set(this.#few);
      return true;
    }
    const { size } = this.#many;
    return this.#many.add(name).size > size;
  }
}

const MOST_COMPARED = 12;

/**
 * Why two programs could read this message differently: a name that occurs
 * twice in one object, a name of the protocol in other capitals, or deeper
 * nesting than every parser takes. Undefined when there is no such reason. The
 * text is valid JSON.
 */
export function findAmbiguity(text: string): string | undefined {
  return findDeepFault(text) ?? findCaseVariant(text);
}

/**
 * As findAmbiguity, for a message of a server: only what decides where the
 * message goes is looked at, since results are large.
 */
export function findRoutingAmbiguity(text: string): string | undefined {
  const seen = new Set<string>();
  for (const { name, start } of membersOf(text, 0)) {
    if (seen.has(name)) return twice(name);
    seen.add(name);
    if (name === 'params') {
      const fault = findRepetition(text, start, '_meta');
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function findRepetition(text: string, from: number, descendInto?: string): string | undefined {
  const seen = new Set<string>();
  for (const { name, start } of membersOf(text, from)) {
    if (seen.has(name)) return twice(name);
    seen.add(name);
    const fault = name === descendInto ? findRepetition(text, start) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findDeepFault(text: string): string | undefined {
  const levels: Level[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const code = text.charCodeAt(start);
    at += 1;
    if (code === 0x22) {
      at = endOfString(text, start);
      const level = levels.at(-1);
      const fault = isName(text, at, level) ? takeName(text.slice(start, at), level) : undefined;
      if (fault !== undefined) return fault;
    } else if (isOpening(code)) {
      const inner = openLevel(levels, code === 0x7b);
      const most = inner.inArguments ? MOST_LEVELS.insideArguments : MOST_LEVELS.outsideArguments;
      if (inner.depth > most) return `it is nested deeper than ${most} levels`;
      levels.push(inner);
    } else if (isClosing(code)) levels.pop();
  }
  return undefined;
}

/** A string in an object is a name when a colon follows: after a value comes a comma or the end. */
function isName(text: string, end: number, level: Level | undefined): level is Level {
  return level?.names !== undefined && text[skipBlanks(text, end)] === ':';
}

function takeName(quoted: string, level: Level): string | undefined {
  const name = decodeString(quoted);
  if (level.names?.add(name) === false) return twice(name);
  level.name = name;
  return undefined;
}

function openLevel(levels: readonly Level[], isObject: boolean): Level {
  const outer = levels.at(-1);
  const names = isObject ? new Names() : undefined;
  if (outer === undefined) return { names, inArguments: false, depth: 1, name: '' };
  const isArguments = levels.length === 2 && levels[0]?.name === 'params' && outer.name === 'arguments';
  if (isArguments) return { names, inArguments: true, depth: 1, name: '' };
  return { names, inArguments: outer.inArguments, depth: outer.depth + 1, name: '' };
}

function findCaseVariant(text: string, from = 0, names = NAMES): string | undefined {
  for (const { name, start } of membersOf(text, from)) {
    const fault = variantOf(name, Object.keys(names));
    if (fault !== undefined) return fault;
    const below = Object.hasOwn(names, name) ? names[name] : undefined;
    const inside = below === undefined ? undefined : findCaseVariant(text, start, below);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function variantOf(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  const folded = fold(name);
  const meant = known.find((candidate) => fold(candidate) === folded);
  return meant === undefined
    ? undefined
    : `the member ${shown(name)} differs from "${meant}" in capitals only`;
}

/** Both ways: the long s is an S in capitals alone, the sign of Kelvin a k in small letters alone; parsers know them as both. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function namesOf(names: readonly string[], deeper: NameTree = {}): NameTree {
  return { ...Object.fromEntries(names.map((name) => [name, undefined])), ...deeper };
}

function twice(name: string): string {
  return `the member ${shown(name)} occurs twice`;
}

function shown(name: string): string {
  return JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 57)}...`);
}

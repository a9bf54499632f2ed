import { decodeString, endOfString, findInMembers, isClosing, isOpening, skipBlanks } from './json-text.ts';

/** Maximum nesting depth of a message, and inside `params.arguments`. */
export const MAX_LEVELS = { outsideArguments: 64, insideArguments: 512 } as const;

class NameTree {
  readonly #below: ReadonlyMap<string, NameTree | undefined>;
  readonly #folded: ReadonlyMap<string, string>;

  constructor(names: readonly string[], deeper: Readonly<Record<string, NameTree>> = {}) {
    this.#below = new Map([...names.map((name) => [name, undefined] as const), ...Object.entries(deeper)]);
    this.#folded = new Map([...this.#below.keys()].map((name) => [fold(name), name]));
  }

  has(name: string): boolean {
    return this.#below.has(name);
  }

  below(name: string): NameTree | undefined {
    return this.#below.get(name);
  }

  variant(name: string): string | undefined {
    return this.#folded.get(fold(name));
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;

const NAMES = new NameTree(['jsonrpc', 'id', 'method', 'result', 'error'], {
  params: new NameTree(
    ['_meta', 'name', 'uri', 'arguments', 'taskId', 'requestId', 'progressToken', 'protocolVersion'],
    {
      // Policies use these members to decide about completions and subscriptions.
      ref: new NameTree(['type', 'name', 'uri']),
      notifications: new NameTree(['resourceSubscriptions', 'taskIds']),
    },
  ),
});

/** Set of names. Compares a few one by one, which is faster than a hash set. */
class Names {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  /** Returns false for a name that is already in the set. */
  add(name: string): boolean {
    if (this.#many === undefined) {
      if (this.#few.includes(name)) return false;
      this.#few.push(name);
      if (this.#few.length > MAX_COMPARED) this.#many = new Set(this.#few);
      return true;
    }
    const { size } = this.#many;
    return this.#many.add(name).size > size;
  }
}

const MAX_COMPARED = 12;

interface Level {
  readonly names: Names | undefined;
  readonly known: NameTree | undefined;
  readonly inArguments: boolean;
  readonly depth: number;
  name: string;
}

/**
 * Returns why two programs could parse this message differently: a duplicate name, a protocol name in another
 * case, or too deep nesting. The text must be valid JSON.
 */
export function findAmbiguity(text: string): string | undefined {
  return walkNames(text, (isObject) => ({
    names: isObject ? new Names() : undefined,
    known: isObject ? NAMES : undefined,
    inArguments: false,
    depth: 1,
    name: '',
  }));
}

/**
 * Returns why two programs could parse any JSON value differently: a member name that occurs twice in an
 * object, or too deep nesting. The text must be valid JSON.
 */
export function findRepeatedName(text: string): string | undefined {
  return walkNames(text, (isObject) => ({
    names: isObject ? new Names() : undefined,
    known: undefined,
    inArguments: true,
    depth: 1,
    name: '',
  }));
}

function walkNames(text: string, openRoot: (isObject: boolean) => Level): string | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const fault = isName(text, end, level) ? takeName(text.slice(at, end), level) : undefined;
      if (fault !== undefined) return fault;
      at = end;
      continue;
    }
    at += 1;
    if (isOpening(code)) {
      level = level === undefined ? openRoot(code === 0x7b) : openLevel(levels, level, code === 0x7b);
      const most = level.inArguments ? MAX_LEVELS.insideArguments : MAX_LEVELS.outsideArguments;
      if (level.depth > most) return `it is nested deeper than ${most} levels`;
      levels.push(level);
    } else if (isClosing(code)) {
      levels.pop();
      level = levels.at(-1);
    }
  }
  return undefined;
}

/**
 * Works like `findAmbiguity`, but only for members that decide where a server message goes, because results
 * are large.
 */
export function findRoutingAmbiguity(text: string): string | undefined {
  const seen = new Names();
  return findInMembers(text, 0, (name, start) => {
    if (!seen.add(name)) return twice(name);
    return name === 'params' ? findRepetition(text, start, '_meta') : undefined;
  });
}

function findRepetition(text: string, from: number, descendInto?: string): string | undefined {
  const seen = new Names();
  return findInMembers(text, from, (name, start) => {
    if (!seen.add(name)) return twice(name);
    return name === descendInto ? findRepetition(text, start) : undefined;
  });
}

function isName(text: string, end: number, level: Level | undefined): level is Level {
  return level?.names !== undefined && text.charCodeAt(skipBlanks(text, end)) === COLON;
}

function takeName(quoted: string, level: Level): string | undefined {
  const name = decodeString(quoted);
  if (level.names?.add(name) === false) return twice(name);
  level.name = name;
  return level.known?.has(name) === false ? variantOf(name, level.known) : undefined;
}

function variantOf(name: string, known: NameTree): string | undefined {
  const meant = known.variant(name);
  return meant === undefined ? undefined : `the member ${shown(name)} differs from "${meant}" only in case`;
}

function openLevel(levels: readonly Level[], outer: Level, isObject: boolean): Level {
  const names = isObject ? new Names() : undefined;
  const isArguments = levels.length === 2 && levels[0]?.name === 'params' && outer.name === 'arguments';
  if (isArguments) return { names, known: undefined, inArguments: true, depth: 1, name: '' };
  const known = isObject && outer.names !== undefined ? outer.known?.below(outer.name) : undefined;
  return { names, known, inArguments: outer.inArguments, depth: outer.depth + 1, name: '' };
}

/**
 * Folds case in both directions: the long s (ſ) equals "S" only in upper case, the Kelvin sign equals "k"
 * only in lower case.
 */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function twice(name: string): string {
  return `the member ${shown(name)} occurs twice`;
}

function shown(name: string): string {
  return JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 57)}...`);
}

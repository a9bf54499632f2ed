export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  readonly name: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const END_OF_SCALAR = /[,}\]\s]|$/g;

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Yields members and the ranges of their values. The text must be valid JSON. */
export function* membersOf(text: string, from: number): Generator<Member> {
  let at = skipBlanks(text, from);
  if (text[at] !== '{') return;
  at = skipBlanks(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const name = decodeString(text.slice(at, nameEnd));
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    yield { name, start, end };
    at = skipBlanks(text, end);
    if (text[at] !== ',') return;
    at = skipBlanks(text, at + 1);
  }
}

/**
 * Calls `find` with each name and the start of its value until it returns a value. Faster than `membersOf`.
 * The text must be valid JSON.
 */
export function findInMembers<Found>(
  text: string,
  from: number,
  find: (name: string, start: number) => Found | undefined,
): Found | undefined {
  let at = skipBlanks(text, from);
  if (text.charCodeAt(at) !== 0x7b) return undefined;
  at = skipBlanks(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const match = find(decodeString(text.slice(at, nameEnd)), start);
    if (match !== undefined) return match;
    at = skipBlanks(text, endOfValue(text, start));
    if (text.charCodeAt(at) !== COMMA) return undefined;
    at = skipBlanks(text, at + 1);
  }
  return undefined;
}

export function* elementsOf(text: string, from: number): Generator<Span> {
  let at = skipBlanks(text, from);
  if (text[at] !== '[') return;
  at = skipBlanks(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    yield { start: at, end };
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
}

/** Returns the range of the value at a path, if it exists. The text must be valid JSON. */
export function findValue(text: string, path: readonly string[]): Span | undefined {
  let span: Span = { start: skipBlanks(text, 0), end: text.length };
  for (const name of path) {
    const member = findMember(text, span.start, name);
    if (member === undefined) return undefined;
    span = member;
  }
  return span;
}

export function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

export function decodeString(quoted: string): string {
  // SAFETY: the JSON is a string, so the value is one.
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Finds a member without a generator, because each message needs several members. */
function findMember(text: string, from: number, name: string): Span | undefined {
  const start = findStart(text, from, name);
  return start === undefined ? undefined : { start, end: endOfValue(text, start) };
}

/**
 * Returns the start of a member's value, if it exists. The text must be valid JSON, and the name without a
 * backslash.
 */
export function findStart(text: string, from: number, name: string): number | undefined {
  let at = skipBlanks(text, from);
  if (text[at] !== '{') return undefined;
  at = skipBlanks(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    if (isNamed(text, at, nameEnd, name)) return start;
    at = skipBlanks(text, endOfValue(text, start));
    if (text[at] !== ',') return undefined;
    at = skipBlanks(text, at + 1);
  }
  return undefined;
}

/**
 * Returns whether a quoted member name equals `name`. A shorter text cannot match, because escapes only make
 * the text longer than the name.
 */
function isNamed(text: string, start: number, end: number, name: string): boolean {
  if (end - start - 2 <= name.length)
    return end - start - 2 === name.length && text.startsWith(name, start + 1);
  return decodeString(text.slice(start, end)) === name;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === '{' || first === '[') return endOfContainer(text, start);
  END_OF_SCALAR.lastIndex = start;
  return END_OF_SCALAR.exec(text)?.index ?? text.length;
}

/** Returns the end of an object or array. Iterative, so that deep nesting cannot overflow the stack. */
function endOfContainer(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    at += 1;
    if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

export function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

export function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

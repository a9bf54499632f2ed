/** A part of a text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  /** Decoded. */
  readonly name: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const END_OF_SCALAR = /[,}\]\s]|$/g;

/** Where the text goes on after JSON's blanks. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** The members of the object that begins at `from`, with the spans of their values. The text is valid JSON. */
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

/** As `membersOf` names them, each with where its value begins, until one finds something: a generator is dear for that. */
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
    const found = find(decodeString(text.slice(at, nameEnd)), start);
    if (found !== undefined) return found;
    at = skipBlanks(text, endOfValue(text, start));
    if (text.charCodeAt(at) !== COMMA) return undefined;
    at = skipBlanks(text, at + 1);
  }
  return undefined;
}

/** The spans of the elements of the array that begins at `from`. The text is valid JSON. */
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

/** Where the value at a path of member names stands; undefined when there is none. The text is valid JSON. */
export function findValue(text: string, path: readonly string[]): Span | undefined {
  let span: Span = { start: skipBlanks(text, 0), end: text.length };
  for (const name of path) {
    const member = findMember(text, span.start, name);
    if (member === undefined) return undefined;
    span = member;
  }
  return span;
}

/** The first character after the string that begins at `start`. */
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

/** What a JSON string, quotes and all, stands for. */
export function decodeString(quoted: string): string {
  // SAFETY: the parser takes a string, so a string comes out.
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** As `membersOf` finds it, without a list of those before: this is done several times for each message. */
function findMember(text: string, from: number, name: string): Span | undefined {
  const start = findStart(text, from, name);
  return start === undefined ? undefined : { start, end: endOfValue(text, start) };
}

/** Where the value of a member of the object at `from` begins; undefined when there is none. The text is valid JSON, and the name has no backslash. */
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

/** Whether the quoted name from `start` to `end` is that one, which has no backslash; written with escapes it is longer. */
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

/** Without recursion: a nesting of a million levels is walked like any other. */
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

/** Of an object or array. */
export function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

export function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

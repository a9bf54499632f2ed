export type NamePattern = (name: string) => boolean;

const LONGEST = 1000;

const MAX_CHOICES = 100;

/**
 * Parses a case-sensitive glob: `*` matches any characters including `/`; `?` one character except `/`;
 * `[a-z]` and `[!a-z]` one character of a set, the latter never `/`; `{a,b}` one alternative; `\` escapes a
 * character. Throws a SyntaxError with a sentence.
 */
export function readNamePattern(text: string): NamePattern {
  if (text === '') throw new SyntaxError('it is empty');
  if (text.length > LONGEST) throw new SyntaxError(`it is longer than ${LONGEST} characters`);
  const choices = new PatternReader(text).read();
  return (name) => {
    const characters = Array.from(name);
    return choices.some((parts) => matches(parts, characters));
  };
}

type Part = typeof ANYTHING | ((character: string) => boolean);

const ANYTHING = Symbol('any characters');

/**
 * Matches a text. Backtracks only to the last `*`, because an earlier one cannot match anything that the last
 * one cannot.
 */
function matches(parts: readonly Part[], characters: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let retry: { readonly part: number; readonly at: number } | undefined;
  while (at < characters.length) {
    const requested = parts[part];
    const character = characters[at];
    if (requested === ANYTHING) {
      part += 1;
      retry = { part, at };
    } else if (requested !== undefined && character !== undefined && requested(character)) {
      part += 1;
      at += 1;
    } else if (retry === undefined) return false;
    else {
      retry = { part: retry.part, at: retry.at + 1 };
      ({ part, at } = retry);
    }
  }
  return parts.slice(part).every((rest) => rest === ANYTHING);
}

type Choices = readonly (readonly Part[])[];

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = Array.from(text);
  }

  read(): Choices {
    return this.#sequence(false).choices;
  }

  /**
   * Parses up to the end of the pattern. Inside braces, stops after the next `,` or `}` and returns that
   * character.
   */
  #sequence(inBraces: boolean): { readonly choices: Choices; readonly end: string | undefined } {
    let choices: Choices = [[]];
    for (;;) {
      const character = this.#characters[this.#at++];
      if (character === undefined || (inBraces && (character === ',' || character === '}'))) {
        return { choices, end: character };
      }
      choices = joined(choices, this.#part(character));
    }
  }

  #part(character: string): Choices {
    switch (character) {
      case '*':
        return [[ANYTHING]];
      case '?':
        return [[(one) => one !== '/']];
      case '[':
        return [[this.#set()]];
      case '{':
        return this.#braces();
      case '\\':
        return [[literal(this.#next('a "\\" stands at its end'))]];
      case ']':
        throw new SyntaxError('a "]" has no "["; write "\\]" for the character itself');
      case '(':
      case ')':
        throw new SyntaxError(`"${character}" is not supported; use {a,b} for alternatives`);
      default:
        return [[literal(character)]];
    }
  }

  /** Parses what follows a `{`. Without a comma, braces are literal, as in a shell. */
  #braces(): Choices {
    const parts: Choices[] = [];
    const begin = this.#at;
    for (;;) {
      const { choices, end } = this.#sequence(true);
      parts.push(choices);
      if (end === undefined) throw new SyntaxError('a "{" has no "}"; write "\\{" for the character itself');
      if (end === '}') break;
    }
    const [only, ...others] = parts;
    if (others.length > 0) return parts.flat();
    if (this.#characters.slice(begin, this.#at).join('').includes('..')) {
      throw new SyntaxError('{a..b} is not supported; use [a-b] for one character of a range');
    }
    return joined(joined([[literal('{')]], only ?? [[]]), [[literal('}')]]);
  }

  #set(): Part {
    const negated = ['!', '^'].includes(this.#characters[this.#at] ?? '');
    if (negated) this.#at += 1;
    const ranges: (readonly [from: string, to: string])[] = [];
    for (;;) {
      const from = this.#next(UNCLOSED);
      // At the start, `]` is a member of the set.
      if (from === ']' && ranges.length > 0) break;
      if (from === '[' && this.#characters[this.#at] === ':')
        throw new SyntaxError('named sets such as [:alpha:] are not supported; use a range such as a-z');
      ranges.push(this.#range(from));
    }
    return (character) =>
      ranges.some(([from, to]) => isBetween(character, from, to)) !== negated &&
      !(negated && character === '/');
  }

  #range(begin: string): readonly [from: string, to: string] {
    const from = begin === '\\' ? this.#next(UNCLOSED) : begin;
    // At the end, a hyphen is a member of the set.
    if (this.#characters[this.#at] !== '-' || this.#characters[this.#at + 1] === ']') return [from, from];
    this.#at += 1;
    const end = this.#next(UNCLOSED);
    const to = end === '\\' ? this.#next(UNCLOSED) : end;
    if (codeOf(to) < codeOf(from)) throw new SyntaxError(`the range ${from}-${to} is out of order`);
    return [from, to];
  }

  #next(fault: string): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new SyntaxError(fault);
    return character;
  }
}

const UNCLOSED = 'a "[" has no "]"; "\\[" stands for the character';

function literal(character: string): Part {
  return (found) => found === character;
}

function isBetween(character: string, from: string, to: string): boolean {
  return codeOf(from) <= codeOf(character) && codeOf(character) <= codeOf(to);
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function joined(before: Choices, after: Choices): Choices {
  if (before.length * after.length > MAX_CHOICES)
    throw new SyntaxError(`its braces expand to more than ${MAX_CHOICES} patterns`);
  return before.flatMap((start) => after.map((end) => [...start, ...end]));
}

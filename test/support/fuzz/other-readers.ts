/**
 * How another program may read a JSON object: which of two equal names it uses, and whether names are
 * case-sensitive.
 */
export interface Reading {
  readonly wins: 'first' | 'last';
  readonly ignoresCase: boolean;
}

const READINGS: readonly Reading[] = (['first', 'last'] as const).flatMap((wins) =>
  [false, true].map((ignoresCase) => ({ wins, ignoresCase })),
);

/**
 * Returns what decides about a message, as each of those programs reads it. Equal readings have equal texts.
 */
export function readingsOf(text: string): ReadonlySet<string> {
  const members = new MemberParser(text).value();
  return new Set(
    READINGS.map((reading) => {
      const top = find(reading, members);
      const params = find(reading, top('params'));
      const ref = find(reading, params('ref'));
      const decides = [top('method'), top('id'), params('name'), params('uri'), ref('name'), ref('uri')];
      return JSON.stringify(decides.map((value) => flat(value)));
    }),
  );
}

/** A parsed value. An object is a list of members. */
type Value = string | number | boolean | null | undefined | readonly Value[] | Members;
interface Members {
  readonly members: readonly (readonly [name: string, value: Value])[];
}

function find({ wins, ignoresCase }: Reading, value: Value): (name: string) => Value {
  const members = typeof value === 'object' && value !== null && 'members' in value ? value.members : [];
  // Returns the name without case, as encoding/json of Go compares names.
  const fold = (name: string): string =>
    ignoresCase ? name.toLowerCase().replaceAll('\u{17F}', 's').replaceAll('\u{212A}', 'k') : name;
  return (name) => {
    const matchingMembers = members.filter(([each]) => fold(each) === fold(name));
    return (wins === 'first' ? matchingMembers[0] : matchingMembers.at(-1))?.[1];
  };
}

function flat(value: Value): unknown {
  return typeof value === 'object' && value !== null ? 'a structure' : (value ?? null);
}

/** JSON parser that follows RFC 8259 exactly. It shares no code with the parser under test. */
class MemberParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Value {
    this.#blanks();
    const start = this.#text[this.#at];
    if (start === '{') return { members: this.#list('}', () => this.#member()) };
    if (start === '[') return this.#list(']', () => this.value());
    if (start === '"') return this.#string();
    const [word = ''] = /^[^,\]}\s]*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += word.length;
    return JSON.parse(word) as number | boolean | null; // The value is a scalar other than a string.
  }

  #list<Item>(end: string, item: () => Item): Item[] {
    const items: Item[] = [];
    this.#at += 1;
    this.#blanks();
    while (this.#text[this.#at] !== end) {
      items.push(item());
      this.#blanks();
      if (this.#text[this.#at] === ',') this.#at += 1;
      this.#blanks();
      if (this.#at >= this.#text.length) throw new SyntaxError('it ends too early');
    }
    this.#at += 1;
    return items;
  }

  #member(): readonly [string, Value] {
    this.#blanks();
    const name = this.#string();
    this.#blanks();
    this.#at += 1;
    return [name, this.value()];
  }

  #string(): string {
    const from = this.#at;
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      if (this.#text[this.#at] === '\\') this.#at += 1;
      if (this.#at >= this.#text.length) throw new SyntaxError('it ends too early');
    }
    this.#at += 1;
    return JSON.parse(this.#text.slice(from, this.#at)) as string; // The text from quote to quote.
  }

  #blanks(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }
}

/**
 * JSON with all duplicates of names, from a parser that shares no code with the proxy: everything that any
 * server could read in a text.
 */
export type Reading =
  | { readonly is: 'object'; readonly members: readonly (readonly [name: string, value: Reading])[] }
  | { readonly is: 'array'; readonly items: readonly Reading[] }
  | { readonly is: 'text'; readonly value: string }
  | { readonly is: 'other'; readonly json: string };

/** Returns all documents in the bytes. Throws for bytes that are not JSON. */
export function readEvery(bytes: Uint8Array): readonly Reading[] {
  const reader = new Reader(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const documents: Reading[] = [];
  while (!reader.isOver()) documents.push(reader.value());
  return documents;
}

/**
 * Returns the tool names that any reader could see as called: names in any case, first or last, also in
 * batches.
 */
export function callsIn(bytes: Uint8Array): readonly string[] {
  return readEvery(bytes)
    .flatMap((document) => (document.is === 'array' ? document.items : [document]))
    .flatMap((message) => {
      const methods = textsAt(message, 'method').map((method) => method.trim().toLowerCase());
      return methods.includes('tools/call')
        ? valuesAt(message, 'params').flatMap((params) => textsAt(params, 'name'))
        : [];
    });
}

/** Returns JavaScript values with numbers as they are written. The last of two equal names counts. */
export function valueOf(reading: Reading): unknown {
  switch (reading.is) {
    case 'object':
      return Object.fromEntries(reading.members.map(([name, value]) => [name, valueOf(value)]));
    case 'array':
      return reading.items.map(valueOf);
    case 'text':
      return reading.value;
    case 'other':
    default:
      return { written: reading.json };
  }
}

function valuesAt(reading: Reading, name: string): readonly Reading[] {
  if (reading.is !== 'object') return [];
  return reading.members.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
}

function textsAt(reading: Reading, name: string): readonly string[] {
  return valuesAt(reading, name).flatMap((value) => (value.is === 'text' ? [value.value] : []));
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isOver(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  value(): Reading {
    this.#skip();
    const first = this.#text[this.#at];
    if (first === '{') return { is: 'object', members: this.#list('}', () => this.#member()) };
    if (first === '[') return { is: 'array', items: this.#list(']', () => this.value()) };
    if (first === '"') return { is: 'text', value: this.#string() };
    const rest = this.#text.slice(this.#at);
    const [json] = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(rest) ?? [];
    if (json === undefined) throw new Error(`no JSON at ${this.#at}`);
    this.#at += json.length;
    return { is: 'other', json };
  }

  #member(): readonly [string, Reading] {
    this.#skip();
    const name = this.#string();
    this.#take(':');
    return [name, this.value()];
  }

  #list<Item>(end: string, item: () => Item): readonly Item[] {
    const items: Item[] = [];
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return items;
    }
    for (;;) {
      items.push(item());
      this.#skip();
      const next = this.#text[this.#at];
      this.#at += 1;
      if (next === end) return items;
      if (next !== ',') throw new Error(`no comma at ${this.#at - 1}`);
    }
  }

  #string(): string {
    this.#take('"');
    let value = '';
    for (;;) {
      const char = this.#text[this.#at];
      this.#at += 1;
      if (char === '"') return value;
      if (char === undefined || char < ' ') throw new Error(`a text is open at ${this.#at}`);
      value += char === '\\' ? this.#escape() : char;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (char !== 'u') return ESCAPES[char] ?? char;
    const code = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(code)) throw new Error(`no escape at ${this.#at}`);
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #take(char: string): void {
    this.#skip();
    if (this.#text[this.#at] !== char) throw new Error(`no ${char} at ${this.#at}`);
    this.#at += 1;
  }

  #skip(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }
}

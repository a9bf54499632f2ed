import type { ConfigBlock } from '@portolan/plugin-api';

const HIDDEN = '[secret]';

/** Minimum length of a masked value; shorter ones are too common in ordinary text. */
const SHORTEST = 5;

const JSON_SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Secret values to mask in plugin messages and log lines. Values below five characters are not masked, and a
 * number only as a separate word.
 */
export class SecretValues {
  /** Longest first: replacing a short value first could leave the rest of a longer one. */
  #values: readonly string[] = [];
  readonly #numbers = new Map<string, RegExp>();

  /** Adds a value to mask. For a URL with a password, also adds the password. */
  add(value: string): void {
    const password = URL.canParse(value) ? new URL(value).password : '';
    const spellings = [value, password, decodedOrSame(password)].flatMap(spellingsOf);
    const known = new Set([...this.#values, ...spellings.filter((text) => text.length >= SHORTEST)]);
    this.#values = [...known].toSorted((left, right) => right.length - left.length);
  }

  addNumbersOf(value: unknown, block: ConfigBlock, secretAround = false): void {
    const secret = secretAround || block.secret === true;
    if (typeof value === 'number') {
      if (secret) this.#addNumber(value);
    } else if (Array.isArray(value)) {
      for (const item of value) if (block.items !== undefined) this.addNumbersOf(item, block.items, secret);
    } else if (typeof value === 'object' && value !== null) {
      const properties = new Map(Object.entries(block.properties ?? {}));
      for (const [key, inner] of Object.entries(value)) {
        const innerBlock = properties.get(key) ?? block.additionalProperties;
        if (innerBlock !== undefined) this.addNumbersOf(inner, innerBlock, secret);
      }
    }
  }

  #addNumber(value: number): void {
    const text = String(value);
    if (text.length < SHORTEST) return;
    const pattern = text.replaceAll(/[.+]/g, '\\$&');
    this.#numbers.set(text, new RegExp(`(?<!\\d|\\d\\.)${pattern}(?!\\d|\\.\\d)`, 'g'));
  }

  mask(text: string): string {
    let masked = text;
    for (const value of this.#values) {
      if (masked.includes(value)) masked = masked.replaceAll(value, HIDDEN);
    }
    for (const [number, pattern] of this.#numbers) {
      if (masked.includes(number)) masked = masked.replaceAll(pattern, HIDDEN);
    }
    return masked;
  }

  /** Masks strings and equal numbers in a JSON text. The result is still JSON. */
  maskJson(json: string): string {
    if (!this.#isIn(json)) return json;
    return json.replaceAll(JSON_SCALAR, (scalar) => {
      const value: unknown = JSON.parse(scalar);
      if (typeof value === 'string') return JSON.stringify(this.mask(value));
      return this.#values.includes(scalar) || this.#numbers.has(scalar) ? `"${HIDDEN}"` : scalar;
    });
  }

  #isIn(text: string): boolean {
    if (this.#values.some((value) => text.includes(value))) return true;
    for (const number of this.#numbers.keys()) if (text.includes(number)) return true;
    return false;
  }

  maskThrown(thrown: unknown, depth = 0): unknown {
    if (typeof thrown === 'string') return this.mask(thrown);
    if (!(thrown instanceof Error)) return thrown;
    const cause = depth < DEEPEST_CAUSE ? this.maskThrown(thrown.cause, depth + 1) : undefined;
    const copy = new Error(this.mask(thrown.message), cause === undefined ? undefined : { cause });
    return Object.assign(copy, {
      name: thrown.name,
      stack: this.mask(thrown.stack ?? thrown.name),
      ...('code' in thrown ? { code: thrown.code } : {}),
      ...('class' in thrown ? { class: thrown.class } : {}),
      ...('hint' in thrown
        ? { hint: typeof thrown.hint === 'string' ? this.mask(thrown.hint) : undefined }
        : {}),
    });
  }
}

/** Maximum depth to which causes of an error are followed, because causes may be circular. */
const DEEPEST_CAUSE = 8;

function spellingsOf(value: string): readonly string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a bare percent sign: the text is not encoded
  }
}

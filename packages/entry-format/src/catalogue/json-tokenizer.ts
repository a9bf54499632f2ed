import { catalogueNotJson } from '../errors.ts';
import type { NumberStep } from './json-number.ts';
import { mayEndNumber, nextNumberStep } from './json-number.ts';
import type { JsonPosition } from './json-position.ts';

export type ScalarKind = 'string' | 'number' | 'boolean' | 'null';

export interface TokenListener {
  /** Receives one of `{}[],:`. */
  punctuation(byte: number, index: number): void;
  beginScalar(kind: ScalarKind, index: number): void;
  /** `end` is the index after the last byte. The scalar may have started in an earlier chunk. */
  endScalar(end: number): void;
  expected(): string;
}

type Inside = 'string' | 'escape' | 'hex' | 'number' | 'literal';

const EXPECTED: Readonly<Record<Inside, string>> = {
  string: 'the rest of a string, control characters escaped',
  escape: 'one of "\\/bfnrtu after a backslash',
  hex: 'a hexadecimal digit',
  number: 'a digit',
  literal: 'one of the words true, false, null',
};
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const PUNCTUATION: ReadonlySet<number> = new Set(
  Array.from('{}[],:', (character) => character.charCodeAt(0)),
);
const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));
const LITERALS: ReadonlyMap<number, { readonly text: string; readonly kind: ScalarKind }> = new Map([
  [0x74, { text: 'true', kind: 'boolean' }],
  [0x66, { text: 'false', kind: 'boolean' }],
  [0x6e, { text: 'null', kind: 'null' }],
]);

/**
 * Tokenizes JSON (RFC 8259) strictly without storing tokens. Skips a leading byte order mark. Throws
 * ERR_CATALOGUE_NOT_JSON with the position of a fault.
 */
export class JsonTokenizer {
  readonly #listener: TokenListener;
  #chunk: Uint8Array = new Uint8Array();
  #base = 0;
  #line = 1;
  #lineStart = 0;
  #inside: Inside | undefined;
  #step: NumberStep = 'minus';
  #hexDigits = 0;
  #literal = '';
  #literalRead = 0;
  #marks = 0;

  constructor(listener: TokenListener) {
    this.#listener = listener;
  }

  write(chunk: Uint8Array): void {
    this.#chunk = chunk;
    let index = 0;
    while (index < chunk.length) {
      const inside = this.#inside;
      index = inside === undefined ? this.#findToken(index) : this.#readInside(index, inside);
    }
    this.#base += chunk.length;
    this.#chunk = new Uint8Array();
  }

  /** Ends the document. Throws when a token other than a number is incomplete. */
  end(): void {
    if (this.#inside === 'number' && mayEndNumber(this.#step)) this.#endScalar(0);
    if (this.#inside !== undefined) throw this.faultAtEnd();
  }

  placeOf(index: number): JsonPosition {
    const offset = this.#base + index;
    return { line: this.#line, column: offset - this.#lineStart + 1, offset };
  }

  fault(index: number): Error {
    const byte = this.#chunk[index] ?? 0;
    const isPrintable = byte > 0x20 && byte < 0x7f;
    const code = byte.toString(16).toUpperCase().padStart(2, '0');
    return this.#faultOf(index, isPrintable ? `"${String.fromCharCode(byte)}"` : `byte 0x${code}`);
  }

  faultAtEnd(): Error {
    return this.#faultOf(0, 'its end');
  }

  #faultOf(index: number, match: string): Error {
    const expected = this.#inside === undefined ? this.#listener.expected() : EXPECTED[this.#inside];
    return catalogueNotJson(this.placeOf(index), match, expected);
  }

  #findToken(start: number): number {
    const chunk = this.#chunk;
    for (let index = start; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === 0x0a) {
        this.#line += 1;
        this.#lineStart = this.#base + index + 1;
      } else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) {
        this.#beginToken(byte, index);
        return index + 1;
      }
    }
    return chunk.length;
  }

  #beginToken(byte: number, index: number): void {
    if (this.#isByteOrderMark(byte, index)) return;
    const literal = LITERALS.get(byte);
    if (PUNCTUATION.has(byte)) {
      this.#listener.punctuation(byte, index);
    } else if (byte === 0x22) {
      this.#listener.beginScalar('string', index);
      this.#inside = 'string';
    } else if (byte === 0x2d || isDigit(byte)) {
      this.#listener.beginScalar('number', index);
      this.#inside = 'number';
      this.#step = byte === 0x2d ? 'minus' : byte === 0x30 ? 'zero' : 'integer';
    } else if (literal !== undefined) {
      this.#listener.beginScalar(literal.kind, index);
      this.#inside = 'literal';
      this.#literal = literal.text;
      this.#literalRead = 1;
    } else {
      throw this.fault(index);
    }
  }

  #isByteOrderMark(byte: number, index: number): boolean {
    if (this.#base + index === this.#marks && byte === BYTE_ORDER_MARK[this.#marks]) {
      this.#marks += 1;
      return true;
    }
    if (this.#marks > 0 && this.#marks < BYTE_ORDER_MARK.length) throw this.fault(index);
    return false;
  }

  #readInside(index: number, inside: Inside): number {
    switch (inside) {
      case 'string':
        return this.#readString(index);
      case 'number':
        return this.#readNumber(index);
      case 'escape':
        this.#readEscape(index);
        break;
      case 'hex':
        this.#readHexDigit(index);
        break;
      case 'literal':
        this.#readLiteral(index);
    }
    return index + 1;
  }

  #readString(start: number): number {
    const chunk = this.#chunk;
    for (let index = start; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === 0x22) {
        this.#endScalar(index + 1);
        return index + 1;
      }
      if (byte === 0x5c) {
        this.#inside = 'escape';
        return index + 1;
      }
      if (byte < 0x20) throw this.fault(index);
    }
    return chunk.length;
  }

  #readNumber(start: number): number {
    const chunk = this.#chunk;
    for (let index = start; index < chunk.length; index++) {
      const next = nextNumberStep(this.#step, chunk[index] ?? 0);
      if (next === undefined) {
        if (!mayEndNumber(this.#step)) throw this.fault(index);
        this.#endScalar(index);
        return index;
      }
      this.#step = next;
    }
    return chunk.length;
  }

  #readEscape(index: number): void {
    const byte = this.#chunk[index] ?? 0;
    if (byte !== 0x75 && !ESCAPES.has(byte)) throw this.fault(index);
    this.#inside = byte === 0x75 ? 'hex' : 'string';
    this.#hexDigits = 0;
  }

  #readHexDigit(index: number): void {
    const byte = this.#chunk[index] ?? 0;
    const letter = byte | 0x20;
    if (!isDigit(byte) && !(letter >= 0x61 && letter <= 0x66)) throw this.fault(index);
    this.#hexDigits += 1;
    if (this.#hexDigits === 4) this.#inside = 'string';
  }

  #readLiteral(index: number): void {
    if (this.#chunk[index] !== this.#literal.charCodeAt(this.#literalRead)) throw this.fault(index);
    this.#literalRead += 1;
    if (this.#literalRead === this.#literal.length) this.#endScalar(index + 1);
  }

  #endScalar(end: number): void {
    this.#inside = undefined;
    this.#listener.endScalar(end);
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

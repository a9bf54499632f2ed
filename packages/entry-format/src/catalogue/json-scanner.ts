import { catalogueEmpty, catalogueNestedTooDeep } from '../errors.ts';
import type { JsonPosition } from './json-position.ts';
import type { ScalarKind, TokenListener } from './json-tokenizer.ts';
import { JsonTokenizer } from './json-tokenizer.ts';

/** Captures a range of bytes of a stream, and drops those above the limit. */
class ByteCapture {
  readonly #pieces: Uint8Array[] = [];
  #active = false;
  #start = 0;
  #size = 0;
  #limit = 0;

  get active(): boolean {
    return this.#active;
  }

  begin(index: number, limit: number): void {
    this.#pieces.length = 0;
    this.#active = true;
    this.#start = index;
    this.#size = 0;
    this.#limit = limit;
  }

  /** Copies the bytes of the current chunk, because the sender may reuse the memory. */
  keepRestOf(chunk: Uint8Array): void {
    if (!this.#active) return;
    this.#add(chunk.subarray(this.#start), true);
    this.#start = 0;
  }

  /**
   * Ends the captured range before this index and returns its bytes. Undefined when the range exceeds the
   * limit. The bytes are valid only as long as the chunk.
   */
  end(chunk: Uint8Array, index: number): Uint8Array | undefined {
    this.#active = false;
    if (this.#pieces.length === 0 && this.#size === 0 && index - this.#start <= this.#limit) {
      return chunk.subarray(this.#start, index);
    }
    this.#add(chunk.subarray(this.#start, index), false);
    const bytes = this.#size > this.#limit ? undefined : Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    return bytes;
  }

  #add(piece: Uint8Array, copy: boolean): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) this.#pieces.length = 0;
    else this.#pieces.push(copy ? piece.slice() : piece);
  }
}

export type ValueKind = ScalarKind | 'object' | 'array';

/**
 * What to do with a value: `enter` a container and report its members, `take` it whole, or `pass` over it.
 */
export type Handling = 'enter' | 'take' | 'pass';

export interface JsonListener {
  /** Called at the start of the document, or of a member of an entered container. */
  begin(kind: ValueKind, key: string | number | undefined, place: () => JsonPosition): Handling;
  take(taken: Taken): void;
  leave(): void;
}

export type Taken =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly because: 'too large' | 'too deep' | 'not UTF-8' };

export interface ScanLimits {
  readonly bytes: number;
  /** Maximum nesting of a taken value, itself included. */
  readonly depth: number;
}

type Expecting =
  | 'a value'
  | 'a value or "]"'
  | 'a member name in double quotes'
  | 'a member name in double quotes or "}"'
  | '":"'
  | '"," or "}"'
  | '"," or "]"'
  | 'nothing after the document';

const MAX_OPEN = 100_000;
const MAX_KEY_BYTES = 4096;
/** Replaces a key that is too long or not UTF-8. It equals no valid name. */
const UNREADABLE_KEY = '(unreadable key)';

/**
 * Parses JSON (RFC 8259) strictly from chunks of bytes and reports single values. Holds one value at a time
 * within the limits, and reports larger ones.
 *
 * `@streamparser/json` drops every U+FEFF from strings, holds strings of any size, and cannot skip one value
 * that is too large.
 */
export class JsonScanner implements TokenListener {
  readonly #listener: JsonListener;
  readonly #limits: ScanLimits;
  readonly #tokenizer = new JsonTokenizer(this);
  readonly #capture = new ByteCapture();
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #chunk: Uint8Array = new Uint8Array();
  #expecting: Expecting = 'a value';
  /** Open containers, outermost first. The first `#entered` of them report their members. */
  readonly #open: ('object' | 'array')[] = [];
  #entered = 0;
  readonly #indexes: number[] = [];
  #key: string | undefined;
  #readsKey = false;
  #takes = false;
  #isTooDeep = false;

  constructor(listener: JsonListener, limits: ScanLimits) {
    this.#listener = listener;
    this.#limits = limits;
  }

  /** Throws ERR_CATALOGUE_NOT_JSON with the position, and errors of the listener. */
  write(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#tokenizer.write(chunk);
    this.#capture.keepRestOf(chunk);
    this.#chunk = new Uint8Array();
  }

  /** Throws ERR_CATALOGUE_FORMAT, or ERR_CATALOGUE_NOT_JSON for an incomplete document. */
  end(): void {
    this.#tokenizer.end();
    if (this.#expecting === 'nothing after the document') return;
    throw this.#expecting === 'a value' && this.#open.length === 0
      ? catalogueEmpty()
      : this.#tokenizer.faultAtEnd();
  }

  expected(): string {
    return this.#expecting;
  }

  punctuation(byte: number, index: number): void {
    const punctuation = String.fromCharCode(byte);
    if (punctuation === '{') this.#openContainer('object', index);
    else if (punctuation === '[') this.#openContainer('array', index);
    else if (punctuation === '}' || punctuation === ']') this.#closeContainer(punctuation, index);
    else if (punctuation === ':' && this.#expecting === '":"') this.#expecting = 'a value';
    else if (punctuation === ',' && this.#expecting === '"," or "}"')
      this.#expecting = 'a member name in double quotes';
    else if (punctuation === ',' && this.#expecting === '"," or "]"') this.#expecting = 'a value';
    else throw this.#tokenizer.fault(index);
  }

  beginScalar(kind: ScalarKind, index: number): void {
    this.#readsKey = kind === 'string' && this.#expecting.startsWith('a member name');
    if (!this.#readsKey) this.#beginValue(kind, index);
    else if (this.#isAtEnteredLevel()) this.#capture.begin(index, MAX_KEY_BYTES);
  }

  endScalar(end: number): void {
    if (!this.#readsKey) {
      this.#endValue(end);
      return;
    }
    this.#readsKey = false;
    this.#expecting = '":"';
    if (!this.#isAtEnteredLevel()) return;
    const key = this.#parse(this.#capture.end(this.#chunk, end));
    this.#key = key.ok ? String(key.value) : UNREADABLE_KEY;
  }

  #openContainer(kind: 'object' | 'array', index: number): void {
    const handling = this.#beginValue(kind, index);
    this.#open.push(kind);
    if (handling === 'enter') {
      this.#entered += 1;
      this.#indexes.push(0);
    }
    if (this.#open.length > MAX_OPEN) throw catalogueNestedTooDeep(this.#tokenizer.placeOf(index), MAX_OPEN);
    if (this.#open.length - this.#entered > this.#limits.depth) this.#isTooDeep = true;
    this.#expecting = kind === 'object' ? 'a member name in double quotes or "}"' : 'a value or "]"';
  }

  #closeContainer(bracket: '}' | ']', index: number): void {
    const mayClose: readonly Expecting[] =
      bracket === '}'
        ? ['"," or "}"', 'a member name in double quotes or "}"']
        : ['"," or "]"', 'a value or "]"'];
    if (!mayClose.includes(this.#expecting)) throw this.#tokenizer.fault(index);
    const wasEntered = this.#isAtEnteredLevel();
    this.#open.pop();
    if (wasEntered) {
      this.#entered -= 1;
      this.#indexes.pop();
      this.#listener.leave();
    }
    this.#endValue(index + 1);
  }

  #beginValue(kind: ValueKind, index: number): Handling {
    if (!this.#expecting.startsWith('a value')) throw this.#tokenizer.fault(index);
    if (!this.#isAtEnteredLevel()) return 'pass';
    const handling = this.#listener.begin(kind, this.#nextKey(), () => this.#tokenizer.placeOf(index));
    if (handling === 'take') {
      this.#takes = true;
      this.#isTooDeep = false;
      this.#capture.begin(index, this.#limits.bytes);
    }
    return handling;
  }

  #endValue(end: number): void {
    const container = this.#open.at(-1);
    if (container === undefined) this.#expecting = 'nothing after the document';
    else this.#expecting = container === 'object' ? '"," or "}"' : '"," or "]"';
    if (!this.#takes || !this.#isAtEnteredLevel()) return;
    this.#takes = false;
    const bytes = this.#capture.end(this.#chunk, end);
    const isTooDeep = bytes !== undefined && this.#isTooDeep;
    this.#listener.take(isTooDeep ? { ok: false, because: 'too deep' } : this.#parse(bytes));
  }

  #isAtEnteredLevel(): boolean {
    return this.#open.length === this.#entered;
  }

  #nextKey(): string | number | undefined {
    if (this.#open.at(-1) !== 'array') return this.#open.length === 0 ? undefined : this.#key;
    const next = this.#indexes.at(-1) ?? 0;
    this.#indexes[this.#indexes.length - 1] = next + 1;
    return next;
  }

  #parse(bytes: Uint8Array | undefined): Taken {
    if (bytes === undefined) return { ok: false, because: 'too large' };
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      return { ok: false, because: 'not UTF-8' };
    }
    return { ok: true, value: JSON.parse(text) };
  }
}

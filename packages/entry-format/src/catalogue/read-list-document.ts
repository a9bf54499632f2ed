import { byteSlicesOf } from './byte-slices.ts';
import { JsonScanner, type Handling, type JsonListener, type Taken, type ValueKind } from './json-scanner.ts';
import { LIMITS } from './scan-limits.ts';

/** Content of a list document besides the elements of its list. */
export interface ListDocumentEnd {
  /** Content of the list's member; some writers use `null` for an empty list. */
  readonly list: 'a list' | 'null' | 'something else' | 'nothing' | 'two of them';
  readonly isMap: boolean;
  readonly beside: Taken | undefined;
}

export interface ListDocumentKeys {
  readonly list: string;
  readonly beside: string;
}

/**
 * Parses a map with a list, and yields elements in batches of about a millisecond of work. Marks elements
 * over 4 MiB, nested deeper than 64 levels or not UTF-8. Throws, possibly after some elements,
 * ERR_CATALOGUE_NOT_JSON or ERR_CATALOGUE_FORMAT.
 */
export function* readListDocument(
  bytes: Uint8Array,
  keys: ListDocumentKeys,
): Generator<readonly Taken[], ListDocumentEnd> {
  const layout = new ListLayout(keys);
  const scanner = new JsonScanner(layout, LIMITS);
  for (const slice of byteSlicesOf(bytes)) {
    scanner.write(slice);
    yield layout.drain();
  }
  scanner.end();
  return layout.end;
}

class ListLayout implements JsonListener {
  readonly #keys: ListDocumentKeys;
  #entered: 'nothing' | 'the document' | 'the list' = 'nothing';
  #entries: Taken[] = [];
  #list: ListDocumentEnd['list'] = 'nothing';
  #isMap = false;
  #beside: Taken | undefined;

  constructor(keys: ListDocumentKeys) {
    this.#keys = keys;
  }

  get end(): ListDocumentEnd {
    return { list: this.#list, isMap: this.#isMap, beside: this.#beside };
  }

  drain(): readonly Taken[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  begin(kind: ValueKind, key: string | number | undefined): Handling {
    if (this.#entered === 'the list') return 'take';
    if (this.#entered === 'the document') return this.#beginMember(kind, key);
    if (kind !== 'object') return 'pass';
    this.#isMap = true;
    this.#entered = 'the document';
    return 'enter';
  }

  take(taken: Taken): void {
    if (this.#entered === 'the list') this.#entries.push(taken);
    else this.#beside = taken;
  }

  leave(): void {
    this.#entered = this.#entered === 'the list' ? 'the document' : 'nothing';
  }

  #beginMember(kind: ValueKind, key: string | number | undefined): Handling {
    if (key === this.#keys.beside) return 'take';
    if (key !== this.#keys.list) return 'pass';
    if (this.#list !== 'nothing') this.#list = 'two of them';
    else if (kind === 'null') this.#list = 'null';
    else this.#list = kind === 'array' ? 'a list' : 'something else';
    if (this.#list !== 'a list') return 'pass';
    this.#entered = 'the list';
    return 'enter';
  }
}

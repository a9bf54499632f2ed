import { eventTooLarge } from '../errors/stream-errors.ts';

export interface IncomingEvent {
  /** Bytes since the previous event, including comments and line ends. */
  readonly raw: Buffer;
  /** Default: `message`. */
  readonly event: string;
  /** All `data` lines of the event, joined. Undefined when it has none; clients ignore such an event. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  readonly retry: string | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits an event stream and keeps every byte, so that events can be forwarded unchanged. Lines end with LF,
 * CR or CR LF (WHATWG HTML, section 9.2.5).
 */
export class EventReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isLineEmpty = true;
  /** Whether the last byte was a CR, to which a following LF belongs. */
  #afterCr = false;
  #isFirst = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the events that are complete. Throws ERR_ANSWER_TOO_LARGE. */
  push(chunk: Uint8Array): readonly IncomingEvent[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const events: IncomingEvent[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (!this.#endsEvent(bytes[at])) continue;
      // Include the LF of a CR LF if it has arrived, because some clients wait for it before they process the
      // event.
      if (this.#afterCr && bytes[at + 1] === LF) {
        this.#afterCr = false;
        at += 1;
      }
      this.#hold(bytes.subarray(from, at + 1));
      events.push(this.#takeEvent());
      from = at + 1;
    }
    this.#hold(bytes.subarray(from));
    return events;
  }

  rest(): Buffer {
    const rest = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return rest;
  }

  /**
   * Returns whether the byte ends a blank line. If a CR ended the line, an LF after it belongs to the next
   * event.
   */
  #endsEvent(byte: number | undefined): boolean {
    const isSecondHalf = this.#afterCr && byte === LF;
    this.#afterCr = byte === CR;
    if (isSecondHalf) return false;
    if (byte !== LF && byte !== CR) {
      this.#isLineEmpty = false;
      return false;
    }
    const wasEmpty = this.#isLineEmpty;
    this.#isLineEmpty = true;
    return wasEmpty;
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw eventTooLarge(this.#maxBytes);
  }

  #takeEvent(): IncomingEvent {
    const raw = this.rest();
    const text = raw.toString('utf8');
    const fields = readFields(this.#isFirst && text.startsWith('\u{FEFF}') ? text.slice(1) : text);
    this.#isFirst = false;
    return { raw, ...fields };
  }
}

function readFields(text: string): Omit<IncomingEvent, 'raw'> {
  let event = '';
  let id: string | undefined;
  let retry: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const colon = line.indexOf(':');
    if (colon === 0 || line === '') continue;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id') id = value.includes('\0') ? id : value;
    else if (name === 'retry') retry = value;
  }
  return {
    event: event === '' ? 'message' : event,
    data: data.length === 0 ? undefined : data.join('\n'),
    id,
    retry,
  };
}

import { eventTooLarge } from '../errors/stream-errors.ts';

/** An event of a stream, with the bytes it came in. */
export interface IncomingEvent {
  /** Everything from the end of the event before, comments and line ends included. */
  readonly raw: Buffer;
  /** `message` when the stream gives no name. */
  readonly event: string;
  /** Lines joined; undefined when there is no `data` field, so that the event means nothing. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  /** As the stream has it. */
  readonly retry: string | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts an event stream into events, however it arrives, and loses no byte:
 * events that need no change are passed on as they came. Lines end with LF, CR
 * or CR LF (WHATWG HTML, section 9.2.5).
 */
export class EventReader {
  readonly #mostBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isLineEmpty = true;
  /** Whether the last byte was a CR, so that an LF now ends no line of its own. */
  #afterCr = false;
  #isFirst = true;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The events that are complete now. Throws ERR_ANSWER_TOO_LARGE. */
  push(chunk: Uint8Array): readonly IncomingEvent[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const events: IncomingEvent[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (!this.#endsEvent(bytes[at])) continue;
      // With the LF of a CR LF, where it has come: some clients wait for it before they take the event.
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

  /** What is left at the end of the stream; no event, since its blank line never came. */
  rest(): Buffer {
    const rest = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return rest;
  }

  /** Whether the byte ends a blank line. After a CR that does, an LF may follow: it begins the next event's bytes. */
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
    if (this.#bytes > this.#mostBytes) throw eventTooLarge(this.#mostBytes);
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

import type { AnswerHead, AnswerBody, AnswerSink } from './open-forwarder.ts';
import type { ServerResponse } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { passedOn } from './upstream-headers.ts';

export interface PassOptions {
  /** What the body goes through. */
  readonly through?: Transform;
  /** Headers that are not passed on, in small letters. */
  readonly dropped?: readonly string[];
}

/**
 * Passes the head of an answer on, at once, and says where its body goes: to the
 * client as it comes, or through something on its way. When the server breaks
 * off, so does the answer, so that the client sees a broken answer and no
 * complete one.
 */
export function passAnswer(
  head: AnswerHead,
  response: ServerResponse,
  { through, dropped = [] }: PassOptions = {},
): AnswerSink {
  const headers = headersFor(
    head,
    response,
    through === undefined ? dropped : [...dropped, 'content-length'],
  );
  response.writeHead(head.status, reasonOf(head), headers);
  const trailers = (raw: readonly string[]): void => addTrailers(raw, response);
  if (through === undefined) return { body: new PassedBody(response), trailers };
  response.flushHeaders();
  pipeline(through, response, (error) => {
    if (error) response.destroy();
  });
  return { body: through, trailers };
}

/** Larger ones are not copied to leave with their head. */
const MAX_TOGETHER = 16 * 1024;

/**
 * The body of an answer on its way to a client. What comes in the turn of its head leaves in one write with it;
 * the head of what is idle then, as an event stream may be, leaves by itself.
 */
class PassedBody implements AnswerBody {
  readonly #response: ServerResponse;
  #first: Buffer | undefined;
  #hasBegun = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    process.nextTick(() => this.#begin());
  }

  write(chunk: Buffer): boolean {
    // The session of the stream has ended.
    if (this.#response.writableEnded) return true;
    if (!this.#hasBegun && this.#first === undefined && chunk.length <= MAX_TOGETHER) {
      this.#first = chunk;
      return true;
    }
    this.#begin();
    return this.#response.write(chunk);
  }

  end(): void {
    const first = this.#first;
    if (this.#hasBegun || first === undefined) {
      this.#response.end();
      return;
    }
    this.#hasBegun = true;
    this.#first = undefined;
    // As text of one byte a character: Node joins the head with texts only.
    this.#response.end(first.toString('latin1'), 'latin1');
  }

  once(event: 'drain', then: () => void): void {
    this.#response.once(event, then);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const first = this.#first;
    this.#first = undefined;
    if (this.#response.destroyed) return;
    if (first === undefined) this.#response.flushHeaders();
    else this.#response.write(first);
  }
}

/** Those of an answer as its client gets them, name and value in turn; `dropped` are left out. */
export function headersFor(head: AnswerHead, response: ServerResponse, dropped: readonly string[]): string[] {
  const passed = passedOn(head.rawHeaders, dropped);
  return response.hasHeader('Access-Control-Allow-Origin') ? withOwnPages(passed) : passed;
}

/** Control characters may be read in it, and what is more than a byte, but not written. */
function reasonOf({ reason }: AnswerHead): string {
  return reason.replaceAll(/[^ -~\u0080-\u00ff]/g, ' ');
}

/** Which pages may read answers was decided here: what the server says of it would be a second, other word. */
function withOwnPages(headers: readonly string[]): string[] {
  const isOfPages = (name: string | undefined): boolean =>
    name?.toLowerCase().startsWith('access-control-') === true;
  const kept = headers.filter((_field, at, all) => !isOfPages(all[at - (at % 2)]));
  return [...kept, 'Vary', 'Origin'];
}

function addTrailers(raw: readonly string[], response: ServerResponse): void {
  if (raw.length === 0 || response.writableEnded) return;
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
  response.addTrailers(Object.fromEntries(pairs));
}

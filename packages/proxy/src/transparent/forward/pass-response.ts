import type { UpstreamHead, ResponseBody, ResponseSink } from './open-forwarder.ts';
import type { ServerResponse } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { passedOn } from './upstream-headers.ts';

export interface PassOptions {
  readonly through?: Transform;
  readonly dropped?: readonly string[];
}

/**
 * Forwards the headers. A disconnect of the server disconnects the client, which must not see a complete
 * response.
 */
export function passResponse(
  head: UpstreamHead,
  response: ServerResponse,
  { through, dropped = [] }: PassOptions = {},
): ResponseSink {
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

/** Maximum bytes to copy in order to send them with the headers. */
const MAX_TOGETHER = 16 * 1024;

/** Sends the data of the first turn of the event loop together with the headers, in one write. */
class PassedBody implements ResponseBody {
  readonly #response: ServerResponse;
  #first: Buffer | undefined;
  #hasBegun = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    process.nextTick(() => this.#begin());
  }

  write(chunk: Buffer): boolean {
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
    // Node.js joins headers and body in one write only if the body is a string.
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

export function headersFor(
  head: UpstreamHead,
  response: ServerResponse,
  dropped: readonly string[],
): string[] {
  const passed = passedOn(head.rawHeaders, dropped);
  return response.hasHeader('Access-Control-Allow-Origin') ? withOwnPages(passed) : passed;
}

/** Returns the reason phrase without characters that Node.js reads but refuses to write. */
function reasonOf({ reason }: UpstreamHead): string {
  return reason.replaceAll(/[^ -~\u0080-\u00ff]/g, ' ');
}

/** Replaces the server's CORS headers, because the proxy decides which web pages may read responses. */
function withOwnPages(headers: readonly string[]): string[] {
  const isOfPages = (name: string | undefined): boolean =>
    name?.toLowerCase().startsWith('access-control-') === true;
  const remainingHeaders = headers.filter((_field, at, all) => !isOfPages(all[at - (at % 2)]));
  return [...remainingHeaders, 'Vary', 'Origin'];
}

function addTrailers(raw: readonly string[], response: ServerResponse): void {
  if (raw.length === 0 || response.writableEnded) return;
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
  response.addTrailers(Object.fromEntries(pairs));
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { passedOn } from './upstream-headers.ts';

export interface PassOptions {
  /** What the body goes through. */
  readonly through?: Transform;
  /** Headers that are not passed on, in small letters. */
  readonly dropped?: readonly string[];
}

/**
 * Passes an answer on: the head at once, the body as it comes, trailers at the
 * end. When the server breaks off, so does the answer, so that the client sees
 * a broken answer and no complete one.
 */
export function passAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  { through, dropped = [] }: PassOptions = {},
): void {
  const ofConnection = [answer.headers.connection ?? '', ...dropped].join(',');
  const passed = passedOn(answer.rawHeaders, ofConnection).filter(
    (_field, at, all) => through === undefined || !isLength(all[at - (at % 2)]),
  );
  const headers = response.hasHeader('Access-Control-Allow-Origin') ? withOwnPages(passed) : passed;
  response.writeHead(answer.statusCode ?? 502, reasonOf(answer), headers);
  // An idle event stream has no first byte that would take the head along.
  response.flushHeaders();
  const finish = (error: NodeJS.ErrnoException | null): void => {
    if (error !== null) response.destroy();
  };
  answer.once('end', () => addTrailers(answer, response));
  if (through === undefined) pipeline(answer, response, (error) => finish(error ?? null));
  else pipeline(answer, through, response, (error) => finish(error ?? null));
}

/** Node reads control characters in it, and throws when it has to write them. */
function reasonOf({ statusMessage = '' }: IncomingMessage): string {
  return statusMessage.replaceAll(/[^ -~\u0080-\uffff]/g, ' ');
}

/** Which pages may read answers was decided here: what the server says of it would be a second, other word. */
function withOwnPages(headers: readonly string[]): string[] {
  const isOfPages = (name: string | undefined): boolean =>
    name?.toLowerCase().startsWith('access-control-') === true;
  const kept = headers.filter((_field, at, all) => !isOfPages(all[at - (at % 2)]));
  return [...kept, 'Vary', 'Origin'];
}

function isLength(name: string | undefined): boolean {
  return name?.toLowerCase() === 'content-length';
}

function addTrailers({ rawTrailers }: IncomingMessage, response: ServerResponse): void {
  if (rawTrailers.length === 0 || response.writableEnded) return;
  const pairs = rawTrailers.flatMap((name, at) => (at % 2 === 0 ? [[name, rawTrailers[at + 1] ?? '']] : []));
  response.addTrailers(Object.fromEntries(pairs));
}

import { isEventStreamType } from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { answerTooLarge } from '../../errors/server-errors.ts';
import { collectDecoded, decoderFor } from '../forward/decoded-body.ts';
import { judgeDocument } from './judge-document.ts';
import { type JudgeStreamOptions, judgeStream } from './judge-stream.ts';
import type { ResponseSink, UpstreamHead, ResponseBody } from '../forward/open-forwarder.ts';
import { headersFor, passResponse } from '../forward/pass-response.ts';
import { headerIn } from '../forward/upstream-headers.ts';

/** Collects a body without a stream, which would cost more than most responses. */
class WholeBody implements ResponseBody {
  readonly #maxBytes: number;
  readonly #whole = Promise.withResolvers<Buffer | undefined>();
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Undefined above the limit, and for a truncated body. */
  get whole(): Promise<Buffer | undefined> {
    return this.#whole.promise;
  }

  write(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.giveUp();
    else this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const [only, other] = this.#chunks;
    this.#whole.resolve(only !== undefined && other === undefined ? only : Buffer.concat(this.#chunks));
  }

  once(): void {}

  giveUp(): void {
    this.#chunks = [];
    this.#whole.resolve(undefined);
  }
}

export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export interface PassJudgedOptions extends JudgeStreamOptions {
  /** Whether the body must be a JSON-RPC response. Over HTTP+SSE and for notifications, it is optional. */
  readonly isExpected: boolean;
  readonly dropped: readonly string[];
  readonly refuse: (error: unknown) => void;
}

const OF_THE_BODY = [
  'content-length',
  'content-encoding',
  'etag',
  'digest',
  'content-digest',
  'repr-digest',
  'content-md5',
];

/**
 * Lets policies read a response: an event stream message by message, any other body as a whole. Throws
 * ERR_ANSWER_UNREADABLE.
 */
export function passJudged(
  head: UpstreamHead,
  response: ServerResponse,
  options: PassJudgedOptions,
): ResponseSink {
  const decoder = decoderFor(headerIn(head.rawHeaders, 'content-encoding'));
  const dropped = [...OF_THE_BODY, ...options.dropped];
  // Trailers describe the server's body, which policies may change, so they are dropped.
  const trailers = (): void => undefined;
  if (isEventStream(head)) {
    const judge = judgeStream(options);
    const { body } = passResponse(head, response, { through: judge, dropped });
    if (decoder === undefined) return { body, trailers };
    pipeline(decoder, judge, (error) => {
      if (error) response.destroy();
    });
    return { body: decoder, trailers };
  }
  if (decoder === undefined) {
    const body = new WholeBody(MAX_DOCUMENT_BYTES);
    // After a disconnect or a truncated response, stop waiting for the rest of the body.
    response.once('close', () => body.giveUp());
    void passDocument(head, body.whole, response, { ...options, dropped });
    return { body, trailers };
  }
  response.once('close', () => decoder.destroy());
  void passDocument(head, collectDecoded(decoder, MAX_DOCUMENT_BYTES), response, { ...options, dropped });
  return { body: decoder, trailers };
}

async function passDocument(
  head: UpstreamHead,
  whole: Promise<Buffer | undefined>,
  response: ServerResponse,
  { scope, isExpected, dropped, refuse }: PassJudgedOptions,
): Promise<void> {
  const { status } = head;
  try {
    const body = await whole;
    if (body === undefined) throw answerTooLarge();
    const judged = await judgeDocument(scope, status, body, isExpected);
    if (isExpected || isRefusal(status)) scope.giveUp();
    if ('refused' in judged) throw judged.refused;
    if (response.headersSent || response.destroyed) return;
    const hasBody = status !== 204 && status !== 304;
    const bytes = Buffer.byteLength(judged.body);
    const headers = headersFor(head, response, dropped);
    if (hasBody) headers.push('Content-Length', String(bytes));
    response.writeHead(status, headers);
    response.end(hasBody ? judged.body : undefined, bytes === judged.body.length ? 'latin1' : 'utf8');
  } catch (error) {
    if (!response.headersSent && !response.destroyed) refuse(error);
  }
}

/**
 * Returns whether a status shows that the server rejected the request, so that no response follows on the
 * HTTP+SSE stream.
 */
function isRefusal(status: number): boolean {
  // A 408 may come from an intermediary, and the server may still respond.
  return status >= 400 && status < 500 && status !== 408;
}

/** Returns false for several Content-Type headers. */
export function isEventStream({ rawHeaders }: Pick<UpstreamHead, 'rawHeaders'>): boolean {
  const isType = (name: string, at: number): boolean => at % 2 === 0 && name.toLowerCase() === 'content-type';
  return rawHeaders.filter(isType).length === 1 && isEventStreamType(headerIn(rawHeaders, 'content-type'));
}

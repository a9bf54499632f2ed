import { type MessageId, type RequestMessage, EventReader } from '@portolan/mcp-protocol';
import { type ClientExchange, isPortolanError } from '@portolan/plugin-api';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { readAccepted } from '../../streams/accepted-forms.ts';
import { backendUnreachable } from '../../errors/backend-errors.ts';
import { answerTooLarge, serverExited } from '../../errors/server-errors.ts';
import { toErrorMessage } from '../../request/http-errors.ts';
import { serverMessageUnreadable } from '../../policy/policy-errors.ts';
import type { PathMessage, RequestContext } from '../../request/request-state.ts';
import { Turn } from '../../request/turn.ts';
import type { ResponseScope } from './response-scope.ts';
import { collectBody, decoderFor } from '../forward/decoded-body.ts';
import { BatchResponse } from './batch-response.ts';
import { judgeDocument } from './judge-document.ts';
import { isEventStream, MAX_DOCUMENT_BYTES } from './pass-judged.ts';
import { MAX_EVENT_BYTES } from '../forward/rewrite-endpoint.ts';

export interface BatchOptions {
  readonly ask: (text: string, exchange: ClientExchange, signal: AbortSignal) => Promise<IncomingMessage>;
  readonly openScope: (exchange: ClientExchange) => ResponseScope;
  readonly exchangeOf: (message: PathMessage) => ClientExchange;
  readonly failed: (error: unknown, id: MessageId) => void;
}

/** Serves a batch. Sends each message to the server separately, and never an array. */
export async function serveBatch(options: BatchOptions, ctx: RequestContext): Promise<void> {
  const { messages } = ctx.state;
  const requests = messages.filter(({ message }) => message.kind === 'request').length;
  const left = new AbortController();
  ctx.res.once('close', () => left.abort());
  const joined = new BatchResponse(ctx.res, readAccepted(ctx.get('Accept')).stream, requests);
  await Promise.all(
    messages.map(async (one) => {
      const { message, settled } = one;
      if (settled?.response !== undefined) joined.answer(settled.response);
      if (settled !== undefined) return;
      if (message.kind === 'request') await askOne(options, one, message, joined, left.signal);
      else await tellOne(options, one, left.signal);
    }),
  );
  if (requests > 0 || ctx.res.destroyed) return;
  ctx.res.writeHead(202, { 'Content-Length': '0' }).end();
}

async function askOne(
  { ask, openScope, exchangeOf, failed }: BatchOptions,
  one: PathMessage,
  { id, text }: RequestMessage,
  joined: BatchResponse,
  signal: AbortSignal,
): Promise<void> {
  const exchange = exchangeOf(one);
  const scope = openScope(exchange);
  try {
    await scope.ask(id, exchange);
    const response = await ask(text, exchange, signal);
    const decoder = decoderFor(response.headers['content-encoding']);
    const body = decoder === undefined ? response : decode(response, decoder);
    if (isEventStream(response)) await readEvents(body, scope, joined, id);
    else joined.answer(await readDocument(body, response.statusCode ?? 502, scope, id));
  } catch (error) {
    const shown = isPortolanError(error) ? error : backendUnreachable(error);
    failed(shown, id);
    joined.answer(toErrorMessage(shown, id));
  } finally {
    scope.giveUp();
  }
}

/** A failed response fails the decoder, so that no reader waits forever. */
function decode(response: IncomingMessage, decoder: Transform): Transform {
  return pipeline(response, decoder, () => undefined);
}

async function readEvents(
  body: NodeJS.ReadableStream,
  scope: ResponseScope,
  joined: BatchResponse,
  id: MessageId,
): Promise<void> {
  const reader = new EventReader(MAX_EVENT_BYTES);
  const turn = new Turn();
  for await (const chunk of body) {
    // SAFETY: no encoding is set, so chunks are bytes.
    for (const { data } of reader.push(chunk as Buffer)) {
      if (turn.isOver()) await turn.yield();
      if (data === undefined || data === '') continue;
      const judged = await scope.judge(data);
      if ('dropped' in judged) continue;
      if ('refused' in judged) joined.answer(toErrorMessage(judged.refused, judged.id));
      else if (judged.id === undefined) joined.inform(judged.text);
      else joined.answer(judged.text);
    }
  }
  if (scope.awaited > 0) joined.answer(toErrorMessage(serverExited(), id));
}

async function readDocument(
  body: NodeJS.ReadableStream,
  status: number,
  scope: ResponseScope,
  id: MessageId,
): Promise<string> {
  const bytes = await collectBody(body, MAX_DOCUMENT_BYTES);
  if (bytes === undefined) throw answerTooLarge();
  const judged = await judgeDocument(scope, status, bytes, true);
  if ('refused' in judged) throw judged.refused;
  if (scope.awaited > 0) throw serverMessageUnreadable(`it has the status ${status} and no response`, id);
  return judged.body.toString();
}

async function tellOne(
  { ask, exchangeOf }: BatchOptions,
  one: PathMessage,
  signal: AbortSignal,
): Promise<void> {
  try {
    (await ask(one.message.text, exchangeOf(one), signal)).resume();
  } catch {
    // A failed notification is dropped: it has no response that could carry the error.
  }
}

import { writeError, writeEvent } from '@portolan/mcp-protocol';
import { isDenial } from '../errors/denials.ts';
import { responseStatusOf, toEventError, toHttpProblem } from '../request/http-errors.ts';
import { noteRefusal } from '../request/note-refusal.ts';
import type { RequestContext } from '../request/request-state.ts';
import type { SendOnStream } from '../steps/report-on-stream.ts';
import type { Peek } from './forward/peek-body.ts';
import { sessionIdOf } from './sessions/session-of-request.ts';
import type { TransparentOptions } from './transparent-options.ts';

export function respondWithError(
  options: TransparentOptions,
  ctx: RequestContext,
  error: unknown,
  { id, kind }: Pick<Peek, 'id' | 'kind'>,
): void {
  const { res, state } = ctx;
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  noteRefusal(state, error, id);
  const problem = toHttpProblem(error);
  const send = id === undefined ? undefined : findClientStream(options)(ctx);
  if (send !== undefined) {
    send(writeError(id, toEventError(problem)));
    res.writeHead(202, { 'Content-Type': 'text/plain' }).end('Accepted');
    return;
  }
  if (isDenial(error) && (kind === 'notification' || kind === 'response')) {
    res.writeHead(202, { 'Content-Length': '0' }).end();
    return;
  }
  const message = writeError(id, problem.rpc);
  const isModern = state.era?.era === 'modern';
  const status = id === undefined ? problem.status : responseStatusOf(error, problem, isModern);
  res.writeHead(status, {
    ...problem.headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(message),
  });
  res.end(message);
}

/**
 * Returns a function that finds a client's HTTP+SSE stream, to send an error as an event. The result is
 * undefined when there is no such stream.
 */
export function findClientStream(
  options: Pick<TransparentOptions, 'transport' | 'streams' | 'isStateless'>,
): (ctx: RequestContext) => SendOnStream | undefined {
  return (ctx) => {
    if (options.transport !== 'sse') return undefined;
    const endpoint = sessionIdOf(options, ctx, { isSessionless: false });
    const push = endpoint === undefined ? undefined : options.streams.find(endpoint, ctx.state.owner);
    return push && ((message) => push(writeEvent({ data: message })));
  };
}

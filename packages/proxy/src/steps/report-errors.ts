import { writeError } from '@portolan/mcp-protocol';
import type { Logger } from '@portolan/plugin-api';
import { Readable } from 'node:stream';
import { toOauthRefusal } from './oauth-refusal.ts';
import { isDenial } from '../errors/denials.ts';
import { responseStatusOf, toHttpProblem } from '../request/http-errors.ts';
import { noteRefusal } from '../request/note-refusal.ts';
import { createRequestState, type Middleware, type RequestContext } from '../request/request-state.ts';

/** Milliseconds for which the rest of a body is discarded, so that its sender reads the response. */
const LINGER_MS = 1000;

/** Responds with a JSON-RPC error, or in OAuth's form during authentication. Logs unexpected errors. */
export function reportErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    ctx.state = createRequestState();
    try {
      await next();
    } catch (error) {
      const problem = toHttpProblem(error);
      const { status, headers, rpc, id, foreseen } = problem;
      noteRefusal(ctx.state, error, ctx.state.messageId ?? id);
      const fields = { err: error, method: ctx.method, status };
      if (foreseen || ctx.res.destroyed) logger.debug(fields, 'request refused');
      else logger.error(fields, 'request failed');
      if (ctx.headerSent) {
        ctx.res.destroy();
        return;
      }
      ctx.respond = true;
      const { challenging, messageId, era } = ctx.state;
      if (isDenial(error) && wantsNoResponse(ctx)) {
        // The same status as for an accepted message, because the client does not wait for a result.
        ctx.status = 202;
        ctx.body = '';
        return;
      }
      const isRequest = messageId !== undefined;
      ctx.status = isRequest ? responseStatusOf(error, problem, era?.era === 'modern') : status;
      const oauthRefusal =
        challenging === undefined
          ? { headers, body: writeError(messageId ?? id, rpc) }
          : toOauthRefusal(error, problem, challenging);
      ctx.set({ ...oauthRefusal.headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      respond(ctx, oauthRefusal.body);
    }
  };
}

function wantsNoResponse({ state: { messages, isBatch } }: RequestContext): boolean {
  const [only] = messages;
  return !isBatch && only !== undefined && only.message.kind !== 'request';
}

function respond(ctx: RequestContext, text: string): void {
  ctx.body = text;
  if (ctx.req.complete || ctx.method === 'GET' || ctx.method === 'HEAD') return;
  ctx.set('Connection', 'close');
  ctx.body = Readable.from(answerThenDiscard(text, ctx.req));
  ctx.set('Content-Type', 'application/json');
  ctx.length = Buffer.byteLength(text);
}

/** Closing at once would reset the connection, and the sender could lose the response. */
async function* answerThenDiscard(text: string, request: RequestContext['req']): AsyncGenerator<string> {
  yield text;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, LINGER_MS);
    function finish(): void {
      clearTimeout(timer);
      request.pause();
      resolve();
    }
    request.once('end', finish).once('close', finish).once('error', finish);
    request.resume();
  });
}

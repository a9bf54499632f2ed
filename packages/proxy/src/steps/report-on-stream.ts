import { writeError } from '@portolan/mcp-protocol';
import { isPortolanError, type Logger } from '@portolan/plugin-api';
import { toEventError, toHttpProblem } from '../request/http-errors.ts';
import { noteRefusal } from '../request/note-refusal.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

export type SendOnStream = (message: string) => void;

/**
 * Codes of errors that stay HTTP errors: the client has no stream, or an event with this id would end another
 * pending request.
 */
const HTTP_ERRORS: ReadonlySet<string> = new Set([
  'ERR_SESSION_UNKNOWN',
  'ERR_REQUEST_ID_IN_USE',
  'ERR_PATH_UNKNOWN',
]);

/**
 * Reports HTTP+SSE errors as events, because clients treat an HTTP error as the end of the session. `find`
 * returns undefined without a stream.
 */
export function reportOnStream(
  find: (ctx: RequestContext) => SendOnStream | undefined,
  logger: Logger,
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { messageId: id } = ctx.state;
      const isHttp = isPortolanError(error) && HTTP_ERRORS.has(error.code);
      const send = id === undefined || isHttp || ctx.headerSent ? undefined : find(ctx);
      if (send === undefined) throw error;
      const problem = toHttpProblem(error);
      noteRefusal(ctx.state, error, id);
      const fields = { err: error, method: ctx.method };
      if (problem.foreseen) logger.debug(fields, 'request refused on its stream');
      else logger.error(fields, 'request failed');
      send(writeError(id, toEventError(problem)));
      ctx.respond = true;
      ctx.status = 202;
      ctx.body = 'Accepted';
    }
  };
}

import type { Logger } from '@portolan/plugin-api';
import { ERROR_PAGE_HEADERS, errorPage } from '../responses/error-page.ts';
import { type HttpProblem, toHttpProblem } from '../http-errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

/** Headers to remove before an error response, because they describe the intended response. */
const OF_THE_ANSWER = ['ETag', 'Content-Type', 'Content-Encoding', 'Content-Length'];

/**
 * Codes of errors that are not logged here: probes receive them every few seconds, and their causes are
 * logged elsewhere.
 */
const ANSWERS_TO_PROBES: readonly string[] = ['ERR_NOT_READY', 'ERR_TOO_MANY_SCRAPES'];

/** Codes of errors that occur before a route is matched, for requests of browsers. */
const OF_BROWSERS: readonly string[] = ['ERR_HOST_NOT_ALLOWED', 'ERR_ORIGIN_NOT_ALLOWED'];

/**
 * Responds with `error`, `code`, `requestId` and, if present, `hint`, as a page to browsers. Unexpected
 * errors and server failures are logged in full, except for responses to probes.
 */
export function reportErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      answerError(logger, ctx, error);
    }
  };
}

/** Responds with an error and logs it, as `reportErrors` does. */
export function answerError(logger: Logger, ctx: RequestContext, error: unknown): void {
  const problem = toHttpProblem(error);
  if (isFailure(problem)) logFailure(logger, ctx, problem, error);
  respond(ctx, problem);
}

function respond(ctx: RequestContext, problem: HttpProblem): void {
  const { status, code, error, hint, issues, headers } = problem;
  if (ctx.headerSent) return;
  for (const name of OF_THE_ANSWER) ctx.remove(name);
  ctx.set({ ...headers });
  ctx.set('Cache-Control', 'no-store');
  ctx.state.errorCode = code;
  ctx.status = status;
  const { requestId } = ctx.state;
  if (wantsPage(ctx, code)) {
    ctx.set(ERROR_PAGE_HEADERS);
    ctx.body = errorPage(problem, requestId);
    return;
  }
  ctx.set('Content-Type', 'application/json');
  ctx.body = `${JSON.stringify({ error, code, requestId, ...(hint === undefined ? {} : { hint }), ...(issues === undefined ? {} : { issues }) })}\n`;
}

function wantsPage(ctx: RequestContext, code: string): boolean {
  const isPage = ctx.state.route?.response.contentType === 'text/html';
  return (isPage || OF_BROWSERS.includes(code)) && ctx.accepts('json', 'html') === 'html';
}

function isFailure({ foreseen, status, code }: HttpProblem): boolean {
  return !foreseen || (status >= 500 && !ANSWERS_TO_PROBES.includes(code));
}

function logFailure(
  logger: Logger,
  { method, state }: RequestContext,
  problem: HttpProblem,
  error: unknown,
): void {
  const fields = {
    err: error,
    code: problem.code,
    method,
    route: state.route?.path,
    request_id: state.requestId,
  };
  logger.error(fields, 'request failed');
}

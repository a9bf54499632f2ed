import type { Logger } from '@portolan/plugin-api';
import { type HttpProblem, toHttpProblem } from '../http-errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

/** Headers of the answer that was meant to be given; they say nothing about the error. */
const OF_THE_ANSWER = ['ETag', 'Content-Type', 'Content-Encoding', 'Content-Length'];

/** What probes are told, every few seconds; the cause is logged by whoever finds it. */
const ANSWERS_TO_PROBES: readonly string[] = ['ERR_NOT_READY', 'ERR_TOO_MANY_SCRAPES'];

/**
 * Turns whatever was thrown into one JSON answer: `error`, `code`, `requestId`
 * and, where there is one, `hint`. What nobody foresaw, and every failure of
 * the server, is logged whole, but for answers to probes.
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

/** Answers with what was thrown, and logs it, as `reportErrors` does. */
export function answerError(logger: Logger, ctx: RequestContext, error: unknown): void {
  const problem = toHttpProblem(error);
  if (isFailure(problem)) logFailure(logger, ctx, problem, error);
  answer(ctx, problem);
}

function answer(ctx: RequestContext, { status, code, error, hint, issues, headers }: HttpProblem): void {
  if (ctx.headerSent) return;
  for (const name of OF_THE_ANSWER) ctx.remove(name);
  ctx.set({ ...headers });
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Type', 'application/json');
  ctx.state.errorCode = code;
  ctx.status = status;
  const { requestId } = ctx.state;
  ctx.body = `${JSON.stringify({ error, code, requestId, ...(hint === undefined ? {} : { hint }), ...(issues === undefined ? {} : { issues }) })}\n`;
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

import { bodyTooSlow, deadlineExceeded } from '../errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

interface Running {
  readonly dueMs: number;
  readonly fail: (error: Error) => void;
}

/**
 * Throws ERR_DEADLINE_EXCEEDED when later steps exceed the limit, or ERR_BODY_TOO_SLOW when they were waiting
 * for the client. The steps continue in the background, but their response is dropped.
 */
export function limitTime(limitMs: number): Middleware {
  const deadlines = new Deadlines(limitMs);
  return (ctx, next) =>
    new Promise<void>((resolve, reject) => {
      const running = deadlines.start(failing(ctx, reject));
      next().then(
        () => {
          deadlines.stop(running);
          return resolve();
        },
        (error: unknown) => {
          deadlines.stop(running);
          return reject(error);
        },
      );
    });
}

/**
 * Returns a function that rejects the request and aborts its signal, so that no write starts for a request
 * that already has its response.
 */
function failing(ctx: RequestContext, reject: (error: Error) => void): (error: Error) => void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return reject;
  const { state } = ctx;
  const late = new AbortController();
  state.signal = late.signal;
  return (error) => {
    late.abort(error);
    reject(state.awaitsBody ? bodyTooSlow() : error);
  };
}

/**
 * Time limits of all requests. The limit is the same for all, so one timer for the oldest request suffices; a
 * timer per request would cost more than most cached responses.
 */
class Deadlines {
  readonly #limitMs: number;
  readonly #running = new Set<Running>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  start(fail: (error: Error) => void): Running {
    const running = { dueMs: performance.now() + this.#limitMs, fail };
    this.#running.add(running);
    if (this.#timer === undefined) this.#timer = this.#wait(this.#limitMs);
    return running;
  }

  stop(running: Running): void {
    this.#running.delete(running);
  }

  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), Math.max(1, Math.ceil(ms))).unref();
  }

  #check(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    for (const running of this.#running) {
      if (running.dueMs > nowMs) {
        this.#timer = this.#wait(running.dueMs - nowMs);
        return;
      }
      this.#running.delete(running);
      running.fail(deadlineExceeded(this.#limitMs));
    }
  }
}

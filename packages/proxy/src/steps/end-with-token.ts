import type { Identity } from '@portolan/plugin-api';
import type { RequestContext } from '../request/request-state.ts';

/** The longest that a timer can wait, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How often an answer is looked for that had not begun when its token ended, and after what time at first, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Closes the answer to a request when the token ends that it came with, if it is
 * under way then: a stream may not outlive it, nor begin after it. What was asked
 * before is answered, where that is done at once.
 */
export function endWithToken(ctx: RequestContext, caller: Identity | undefined, clock: () => Date): void {
  const exp = caller?.claims['exp'];
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return;
  const { res } = ctx;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    if (res.writableEnded) return;
    if (res.headersSent || ctx.method === 'GET') res.destroy();
    else timer = setTimeout(close, LOOK_MS).unref();
  };
  const arm = (mostMs: number): void => {
    const leftMs = exp * 1000 - clock().getTime();
    const waitMs = Math.min(Math.max(leftMs, 0), mostMs);
    timer = setTimeout(() => (leftMs > waitMs ? arm(MAX_TIMER_MS) : close()), waitMs).unref();
  };
  // Most answers are over by then, and a timer as long as all others is cheap: each other length costs a list of its own.
  arm(LOOK_MS);
  res.once('close', () => clearTimeout(timer));
}

import type { Identity } from '@portolan/plugin-api';
import type { RequestContext } from '../request/request-state.ts';

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds between checks for a response that had not begun when its token expired. */
const LOOK_MS = 1000;

/** Closes a stream when the caller's token expires. A response that has not begun by then is still sent. */
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
  const arm = (maxMs: number): void => {
    const leftMs = exp * 1000 - clock().getTime();
    const waitMs = Math.min(Math.max(leftMs, 0), maxMs);
    timer = setTimeout(() => (leftMs > waitMs ? arm(MAX_TIMER_MS) : close()), waitMs).unref();
  };
  // Cheap: Node.js keeps one list per delay, and most responses are complete by then.
  arm(LOOK_MS);
  res.once('close', () => clearTimeout(timer));
}

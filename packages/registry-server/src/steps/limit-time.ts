import { deadlineExceeded } from '../errors.ts';
import type { Middleware } from '../request-state.ts';

/**
 * Throws ERR_DEADLINE_EXCEEDED when the steps after it take longer than this.
 * They go on in the background, and what they answer then is not sent.
 */
export function limitTime(limitMs: number): Middleware {
  return async (_ctx, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(deadlineExceeded(limitMs)), limitMs);
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

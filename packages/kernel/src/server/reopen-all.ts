import type { Kernel } from './kernel.ts';
import { withinTime } from '../lifetime/within-time.ts';

/** Makes every middleware that supports it reopen its files. Failures are logged, and the rest continues. */
export async function reopenAll(
  middleware: Kernel['middleware'],
  logger: Kernel['logger'],
  limitMs?: number,
): Promise<void> {
  for (const { kind, handler } of middleware) {
    try {
      await withinTime(() => handler.reopen?.(), limitMs);
    } catch (error) {
      logger.error({ part: `the middleware "${kind.kind}"`, error }, 'reopening a part failed');
    }
  }
}

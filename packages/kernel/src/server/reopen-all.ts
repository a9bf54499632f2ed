import type { Kernel } from './kernel.ts';
import { withinTime } from '../lifetime/within-time.ts';

/** Has every middleware that can close its files and open them again; what fails is logged, and the rest goes on. */
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

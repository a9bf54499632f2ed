import type { Logger } from '@portolan/plugin-api';
import { withinTime } from './within-time.ts';

/**
 * Closes an instance that was created after its timeout. Returns at once, never throws, and logs the result.
 */
export function closeLate(part: unknown, name: string, logger: Logger, limitMs: number | undefined): void {
  if ((typeof part !== 'object' && typeof part !== 'function') || part === null) return;
  const close: unknown = Reflect.get(part, 'close');
  if (typeof close !== 'function') return;
  withinTime((): unknown => Reflect.apply(close, part, []), limitMs).then(
    () => logger.warn({ part: name }, 'closed a part that finished after its timeout'),
    (error: unknown) => logger.error({ part: name, error }, 'closing a part failed'),
  );
}

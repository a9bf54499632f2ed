import type { Logger } from '@portolan/plugin-api';
import { withinTime } from './within-time.ts';

/**
 * Closes what a plugin made after its time limit, when nobody wants it any more.
 * Does nothing for what has no function `close`. Returns at once and never
 * throws; how it went is logged under the name of the part.
 */
export function closeLate(part: unknown, name: string, logger: Logger, limitMs: number | undefined): void {
  if ((typeof part !== 'object' && typeof part !== 'function') || part === null) return;
  const close: unknown = Reflect.get(part, 'close');
  if (typeof close !== 'function') return;
  withinTime((): unknown => Reflect.apply(close, part, []), limitMs).then(
    () => logger.warn({ part: name }, 'a part came after its time limit, and was closed'),
    (error: unknown) => logger.error({ part: name, error }, 'closing a part failed'),
  );
}

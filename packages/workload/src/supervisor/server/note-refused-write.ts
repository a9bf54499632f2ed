import { explainRefusedWrite, mayBeMissing } from './refused-write.ts';
import type { Supervision } from '../supervision.ts';

export const REFUSED_WRITE = 'refused write';

/**
 * Explains in `status` and in the log what the user can do about a write that a read-only file system
 * refused. The client still gets the server's own message.
 */
export function noteRefusedWrite(
  text: string,
  { config, notices, output }: Pick<Supervision, 'config' | 'notices' | 'output'>,
): void {
  if (mayBeMissing(text, config)) return;
  const notice = explainRefusedWrite(text, config);
  output.remark(notice);
  notices.say(REFUSED_WRITE, notice);
}

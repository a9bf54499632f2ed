import { explainRefusedWrite } from './refused-write.ts';
import type { Supervision } from '../supervision.ts';

/** Speaker of notices about refused writes; see `Notices`. */
export const REFUSED_WRITE = 'refused write';

/**
 * Tells users in `status` and `logs` what to do about a write that the read-only root refused. The client
 * still gets the server's own message.
 */
export function noteRefusedWrite(
  text: string,
  { config, notices, output }: Pick<Supervision, 'config' | 'notices' | 'output'>,
): void {
  const notice = explainRefusedWrite(text, config);
  output.remark(notice);
  notices.say(REFUSED_WRITE, notice);
}

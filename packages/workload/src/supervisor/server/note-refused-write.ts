import { explainRefusedWrite } from './refused-write.ts';
import type { Supervision } from '../supervision.ts';

export const REFUSED_WRITE = 'refused write';

/**
 * Tells users in `status` and `logs` what to do about a refused write. The client still gets the server's own
 * message.
 */
export function noteRefusedWrite(
  text: string,
  { config, notices, output }: Pick<Supervision, 'config' | 'notices' | 'output'>,
): void {
  const notice = explainRefusedWrite(text, config);
  output.remark(notice);
  notices.say(REFUSED_WRITE, notice);
}

import { explainRefusedWrite } from './refused-write.ts';
import type { Supervision } from '../supervision.ts';

/** By which `status` knows what was said about a refused write. */
export const REFUSED_WRITE = 'refused write';

/**
 * A write that was refused while the server runs: `status` and `logs` say what to
 * do about it. What the client is told stays as the server has written it.
 */
export function noteRefusedWrite(
  text: string,
  { config, notices, output }: Pick<Supervision, 'config' | 'notices' | 'output'>,
): void {
  const notice = explainRefusedWrite(text, config);
  output.remark(notice);
  notices.say(REFUSED_WRITE, notice);
}

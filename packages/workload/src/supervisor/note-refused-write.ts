import { explainRefusedWrite } from './refused-write.ts';
import type { Supervision } from './supervision.ts';

/**
 * A write that was refused while the server runs: `status` and `logs` say what to
 * do about it. What the client is told stays as the server has written it.
 */
export function noteRefusedWrite(
  text: string,
  { config, record, output }: Pick<Supervision, 'config' | 'record' | 'output'>,
): void {
  const notice = explainRefusedWrite(text, config);
  output.remark(notice);
  record.note((state) => (state.notice === notice ? state : { ...state, notice }));
}

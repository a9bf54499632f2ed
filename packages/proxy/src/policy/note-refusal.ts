import { isPortolanError } from '@portolan/plugin-api';
import { toHttpProblem } from '../http-errors.ts';
import type { MessageId } from '../message/message.ts';
import type { RequestState } from '../request-state.ts';

/** Writes down, for those who observe, that a request, or the message of this id, is answered with an error of ours. */
export function noteRefusal(
  { refusals }: Pick<RequestState, 'refusals'>,
  error: unknown,
  id: MessageId | undefined,
): void {
  const { status, rpc } = toHttpProblem(error);
  const code = isPortolanError(error) ? error.code : 'ERR_REQUEST_REFUSED';
  refusals.push({ id: id?.text, code, status, error: rpc });
}

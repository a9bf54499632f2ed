import type { MessageId } from '@portolan/mcp-protocol';
import { type ClientRequest, isPortolanError, type MadeRefusal } from '@portolan/plugin-api';
import { toHttpProblem } from './http-errors.ts';
import type { RequestState } from './request-state.ts';

/** An answer may be judged when its request is over, on another stream: what was refused is found by the request. */
const NOTED = new WeakMap<ClientRequest, MadeRefusal[]>();

/** Lets what is refused of a request be written down wherever it is. */
export function keepRefusals(request: ClientRequest, { refusals }: Pick<RequestState, 'refusals'>): void {
  NOTED.set(request, refusals);
}

/** Writes down, for those who observe, that a request, or its message of this id, is answered with an error of ours. */
export function noteRefusal(
  { refusals }: Pick<RequestState, 'refusals'>,
  error: unknown,
  id: MessageId | undefined,
): void {
  note(refusals, error, id?.text);
}

/** As `noteRefusal`, where only what was asked is known. */
export function noteRefusedAnswer(request: ClientRequest, error: unknown, id: string): void {
  const refusals = NOTED.get(request);
  if (refusals !== undefined) note(refusals, error, id);
}

/** An error that is passed from hand to hand is told once. */
function note(refusals: MadeRefusal[], error: unknown, id: string | undefined): void {
  if (id !== undefined && refusals.some((noted) => noted.id === id)) return;
  const { status, rpc } = toHttpProblem(error);
  const code = isPortolanError(error) ? error.code : 'ERR_REQUEST_REFUSED';
  refusals.push({ id, code, status, error: rpc });
}

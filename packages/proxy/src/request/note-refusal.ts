import type { MessageId } from '@portolan/mcp-protocol';
import { type ClientRequest, isPortolanError, type MadeRefusal } from '@portolan/plugin-api';
import { toHttpProblem } from './http-errors.ts';
import type { RequestState } from './request-state.ts';

/**
 * Refusals by request. A policy may refuse a response on another stream after its request is over, so the
 * request's context is not enough.
 */
const NOTED = new WeakMap<ClientRequest, MadeRefusal[]>();

export function keepRefusals(request: ClientRequest, { refusals }: Pick<RequestState, 'refusals'>): void {
  NOTED.set(request, refusals);
}

export function noteRefusal(
  { refusals }: Pick<RequestState, 'refusals'>,
  error: unknown,
  id: MessageId | undefined,
): void {
  note(refusals, error, id?.text);
}

/** Works like `noteRefusal`, for code that has no `RequestContext`. */
export function noteRefusedResponse(request: ClientRequest, error: unknown, id: string): void {
  const refusals = NOTED.get(request);
  if (refusals !== undefined) note(refusals, error, id);
}

/** Several layers may report an error; it counts once. */
function note(refusals: MadeRefusal[], error: unknown, id: string | undefined): void {
  if (id !== undefined && refusals.some((noted) => noted.id === id)) return;
  const { status, rpc } = toHttpProblem(error);
  const code = isPortolanError(error) ? error.code : 'ERR_REQUEST_REFUSED';
  refusals.push({ id, code, status, error: rpc });
}

import { errorClassOf, type ErrorClass, isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { answerDetailsOf } from './errors.ts';
import type { MessageId } from './message/message.ts';
import { type RpcError, writeError } from './message/write-message.ts';

/** How an error is answered where no answer was begun. */
export interface HttpProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rpc: RpcError;
  /** Of the request, when the error itself knows it. */
  readonly id: MessageId | undefined;
  /** Whether it was expected to happen. */
  readonly foreseen: boolean;
}

/** JSON-RPC's codes beside ours: -32600 is an invalid request, -32603 an internal error, -32001 a session that is gone. */
const ANSWER_BY_CLASS: Readonly<Record<ErrorClass, { readonly status: number; readonly rpcCode: number }>> = {
  mistake: { status: 400, rpcCode: -32600 },
  absent: { status: 404, rpcCode: -32600 },
  conflict: { status: 409, rpcCode: -32600 },
  refused: { status: 403, rpcCode: -32600 },
  busy: { status: 503, rpcCode: -32603 },
  unavailable: { status: 502, rpcCode: -32603 },
  fault: { status: 500, rpcCode: -32603 },
};

/** How an error is answered; what nobody foresaw is a 500 that says nothing of its cause. */
export function toHttpProblem(error: unknown): HttpProblem {
  const errorClass = errorClassOf(error);
  if (!isPortolanError(error) || !isForClients(error)) {
    const rpc = { code: -32603, message: 'Internal error' };
    return { status: 500, headers: {}, rpc, id: undefined, foreseen: false };
  }
  const byClass = ANSWER_BY_CLASS[errorClass];
  const { id, data, status = byClass.status, rpcCode = byClass.rpcCode, headers } = answerDetailsOf(error);
  const { retryAfterSeconds } = error;
  const rpc = {
    code: rpcCode,
    message: error.message,
    ...(data === undefined ? {} : { data }),
  };
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return { status, headers: { ...headers, ...retry }, rpc, id, foreseen: true };
}

/** The message of a fault, and of what others of ours say is unavailable, may name hosts and files. */
function isForClients(error: PortolanError): boolean {
  const errorClass = errorClassOf(error);
  return 'answer' in error || (errorClass !== 'fault' && errorClass !== 'unavailable');
}

/** The JSON-RPC error that stands for an error, for an answer that was begun already. */
export function toErrorMessage(error: unknown, id: MessageId | undefined): string {
  return writeError(id, toHttpProblem(error).rpc);
}

import { isPortolanError } from '@portolan/plugin-api';
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

interface Row {
  readonly status: number;
  /** JSON-RPC's; left out: -32600, invalid request. */
  readonly rpcCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRY_SOON = { 'Retry-After': '5' };

const PROBLEMS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['ERR_MESSAGE_NOT_JSON', { status: 400, rpcCode: -32700 }],
  ['ERR_MESSAGE_AMBIGUOUS', { status: 400 }],
  ['ERR_MESSAGE_INVALID', { status: 400 }],
  ['ERR_BATCH_INVALID', { status: 400 }],
  ['ERR_CONTENT_TYPE_UNSUPPORTED', { status: 415 }],
  ['ERR_CONTENT_ENCODING_UNSUPPORTED', { status: 415 }],
  ['ERR_MESSAGE_TOO_LARGE', { status: 413, headers: { Connection: 'close' } }],
  ['ERR_HEADER_REPEATED', { status: 400 }],
  ['ERR_SESSION_ID_MALFORMED', { status: 400 }],
  ['ERR_SESSION_MISSING', { status: 400 }],
  ['ERR_SESSION_BEGUN', { status: 400 }],
  ['ERR_SESSION_UNKNOWN', { status: 404, rpcCode: -32001 }],
  ['ERR_SESSIONS_EXHAUSTED', { status: 503, rpcCode: -32603, headers: { 'Retry-After': '60' } }],
  ['ERR_HEADER_MISMATCH', { status: 400, rpcCode: -32020 }],
  ['ERR_ENVELOPE_INVALID', { status: 400, rpcCode: -32602 }],
  ['ERR_REVISION_UNSUPPORTED', { status: 400, rpcCode: -32022 }],
  ['ERR_REVISION_UNKNOWN', { status: 400 }],
  ['ERR_SERVER_IS_LEGACY', { status: 400 }],
  ['ERR_TRANSPORT_IS_LEGACY', { status: 400 }],
  ['ERR_HOST_NOT_ALLOWED', { status: 403 }],
  ['ERR_ORIGIN_NOT_ALLOWED', { status: 403 }],
  ['ERR_METHOD_NOT_POSSIBLE', { status: 405 }],
  ['ERR_UPGRADE_NOT_POSSIBLE', { status: 400 }],
  ['ERR_PATH_UNKNOWN', { status: 404 }],
  ['ERR_NOT_ACCEPTABLE', { status: 406 }],
  ['ERR_ANSWER_TOO_LARGE', { status: 502, rpcCode: -32603 }],
  ['ERR_SERVER_EXITED', { status: 502, rpcCode: -32603 }],
  ['ERR_SERVER_TIMED_OUT', { status: 504, rpcCode: -32603 }],
  ['ERR_REQUEST_CANCELLED', { status: 200, rpcCode: -32603 }],
  ['ERR_SERVER_BUSY', { status: 503, rpcCode: -32603, headers: RETRY_SOON }],
  ['ERR_SERVER_NOT_STARTED', { status: 503, rpcCode: -32603, headers: RETRY_SOON }],
  ['ERR_SESSION_ENDED', { status: 404, rpcCode: -32001 }],
  ['ERR_PROXY_CLOSING', { status: 503, rpcCode: -32603, headers: RETRY_SOON }],
  ['ERR_BACKEND_UNREACHABLE', { status: 502, rpcCode: -32603 }],
  ['ERR_BACKEND_TOO_SLOW', { status: 504, rpcCode: -32603 }],
  ['ERR_ANSWER_UNREADABLE', { status: 502, rpcCode: -32603 }],
  ['ERR_REDIRECT_REFUSED', { status: 502, rpcCode: -32603 }],
]);

/** How an error is answered; what nobody foresaw is a 500 that says nothing of its cause. */
export function toHttpProblem(error: unknown): HttpProblem {
  const row = isPortolanError(error) ? PROBLEMS.get(error.code) : undefined;
  if (row === undefined || !isPortolanError(error)) {
    const rpc = { code: -32603, message: 'Internal error' };
    return { status: 500, headers: {}, rpc, id: undefined, foreseen: false };
  }
  const { id, data } = answerDetailsOf(error);
  const rpc = {
    code: row.rpcCode ?? -32600,
    message: error.message,
    ...(data === undefined ? {} : { data }),
  };
  return { status: row.status, headers: row.headers ?? {}, rpc, id, foreseen: true };
}

/** The JSON-RPC error that stands for an error, for an answer that was begun already. */
export function toErrorMessage(error: unknown, id: MessageId | undefined): string {
  return writeError(id, toHttpProblem(error).rpc);
}

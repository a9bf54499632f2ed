import { responseDetailsOf, type MessageId, type RpcError, writeError } from '@portolan/mcp-protocol';
import { errorClassOf, type ErrorClass, isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { isDenial, markDenial } from '../errors/denials.ts';

export interface HttpProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rpc: RpcError;
  readonly id: MessageId | undefined;
  /** Whether the error is expected; others are logged. */
  readonly foreseen: boolean;
}

/** -32600 is an invalid request, -32603 an internal error. */
const ANSWER_BY_CLASS: Readonly<Record<ErrorClass, { readonly status: number; readonly rpcCode: number }>> = {
  mistake: { status: 400, rpcCode: -32600 },
  absent: { status: 404, rpcCode: -32600 },
  conflict: { status: 409, rpcCode: -32600 },
  refused: { status: 403, rpcCode: -32600 },
  busy: { status: 503, rpcCode: -32603 },
  unavailable: { status: 502, rpcCode: -32603 },
  fault: { status: 500, rpcCode: -32603 },
};

/**
 * Returns status, headers and JSON-RPC error for any thrown value. A `PortolanError` gets its own status, or
 * that of its class. Another error keeps `status` and `headers` if it has them; otherwise it becomes a 500
 * that hides its cause.
 */
export function toHttpProblem(error: unknown): HttpProblem {
  if (!(error instanceof Error)) return UNFORESEEN;
  const own = ownStatus(error);
  const shown = isPortolanError(error) ? shownMessage(error) : undefined;
  if (own === undefined && (!isPortolanError(error) || shown === undefined)) return UNFORESEEN;
  const errorClass = errorClassOf(error);
  const byClass = isPortolanError(error) ? ANSWER_BY_CLASS[errorClass] : undefined;
  const { id, data, status = own ?? byClass?.status ?? 500, rpcCode, headers } = responseDetailsOf(error);
  const message = shown ?? exposedMessage(error);
  const code = rpcCode ?? byClass?.rpcCode ?? (status < 500 ? -32600 : -32603);
  const rpc = { code, message, ...(data === undefined ? {} : { data }) };
  const all = { ...headersOf(error), ...headers, ...retryOf(error) };
  const problem = { status, headers: all, rpc, id, foreseen: true };
  return isDenial(error) ? withoutLogin(problem, rpcCode) : problem;
}

const DENIAL_CODES: ReadonlyMap<number, number> = new Map([
  [403, 403],
  [429, 429],
]);

function withoutLogin(problem: HttpProblem, rpcCode: number | undefined): HttpProblem {
  const status = problem.status === 401 ? 403 : problem.status;
  const code = rpcCode ?? DENIAL_CODES.get(status) ?? problem.rpc.code;
  const headers = Object.entries(problem.headers).filter(
    ([name]) => name.toLowerCase() !== 'www-authenticate',
  );
  return { ...problem, status, headers: Object.fromEntries(headers), rpc: { ...problem.rpc, code } };
}

/**
 * Statuses of temporary failures. They are not decisions about a message, so they stay HTTP errors over
 * streamable HTTP.
 */
const FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Marks an error as a denial, unless its status is 502, 503 or 504. */
export function markThrown(thrown: unknown): Error {
  const error =
    thrown instanceof Error
      ? thrown
      : new Error('a value that is not an Error was thrown', { cause: thrown });
  return FAILURES.has(toHttpProblem(error).status) ? error : markDenial(error);
}

/**
 * HTTP statuses by JSON-RPC error code, which revisions without a handshake require before a stream is open.
 * Other codes have 200.
 */
const STATUS_BY_CODE: ReadonlyMap<number, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
  [-32700, 400],
  [-32600, 400],
]);

export function modernStatusOf(code: number | undefined): number {
  return code === undefined ? 200 : (STATUS_BY_CODE.get(code) ?? 200);
}

const TOO_LARGE = 413;

/**
 * Returns the HTTP status of an error response. A refused message gets 200, like an error of the server; for
 * a Modern request it gets the status of its error code. Other errors have their own status.
 */
export function responseStatusOf(error: unknown, { status, rpc }: HttpProblem, isModern: boolean): number {
  if (!isDenial(error) || status === TOO_LARGE) return status;
  return isModern ? modernStatusOf(rpc.code) : 200;
}

const UNFORESEEN: HttpProblem = {
  status: 500,
  headers: {},
  rpc: { code: -32603, message: 'Internal error' },
  id: undefined,
  foreseen: false,
};

/**
 * Returns the text for the client. Undefined for faults and unavailable dependencies, because their messages
 * may contain host or file names.
 */
function shownMessage(error: PortolanError): string | undefined {
  if (error.publicMessage !== undefined) return error.publicMessage;
  const errorClass = errorClassOf(error);
  const isForClients = 'errorResponse' in error || (errorClass !== 'fault' && errorClass !== 'unavailable');
  return isForClients ? error.message : undefined;
}

function ownStatus(error: Error): number | undefined {
  if (!('status' in error) || typeof error.status !== 'number') return undefined;
  const { status } = error;
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

function exposedMessage(error: Error): string {
  return 'expose' in error && error.expose === true ? error.message : 'The request was refused.';
}

function headersOf(error: Error): Readonly<Record<string, string>> {
  if (!('headers' in error) || typeof error.headers !== 'object' || error.headers === null) return {};
  const entries = Object.entries(error.headers);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function retryOf(error: Error): Readonly<Record<string, string>> {
  const seconds = isPortolanError(error) ? error.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}

/**
 * Returns the error for an event stream. Events have no headers, so `data.retryAfterSeconds` replaces the
 * header `Retry-After`.
 */
export function toEventError({ status, headers, rpc }: HttpProblem): RpcError {
  const seconds = Number(headers['Retry-After']);
  if (!FAILURES.has(status) || Number.isNaN(seconds) || rpc.data !== undefined) return rpc;
  return { ...rpc, data: { retryAfterSeconds: seconds } };
}

export function toErrorMessage(error: unknown, id: MessageId | undefined): string {
  return writeError(id, toEventError(toHttpProblem(error)));
}

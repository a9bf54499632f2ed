import { answerDetailsOf, type MessageId, type RpcError, writeError } from '@portolan/mcp-protocol';
import { errorClassOf, type ErrorClass, isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { isDenial, markDenial } from '../errors/denials.ts';

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

/**
 * How an error is answered: ours by its class, unless it brings a status of its
 * own; what others have thrown with a status and headers, as Koa middleware
 * does, with those; what nobody foresaw is a 500 that says nothing of its cause.
 */
export function toHttpProblem(error: unknown): HttpProblem {
  if (!(error instanceof Error)) return UNFORESEEN;
  const own = ownStatus(error);
  const shown = isPortolanError(error) ? shownMessage(error) : undefined;
  if (own === undefined && (!isPortolanError(error) || shown === undefined)) return UNFORESEEN;
  const errorClass = errorClassOf(error);
  const byClass = isPortolanError(error) ? ANSWER_BY_CLASS[errorClass] : undefined;
  const { id, data, status = own ?? byClass?.status ?? 500, rpcCode, headers } = answerDetailsOf(error);
  const message = shown ?? exposedMessage(error);
  const code = rpcCode ?? byClass?.rpcCode ?? (status < 500 ? -32600 : -32603);
  const rpc = { code, message, ...(data === undefined ? {} : { data }) };
  const all = { ...headersOf(error), ...headers, ...retryOf(error) };
  const problem = { status, headers: all, rpc, id, foreseen: true };
  return isDenial(error) ? withoutLogin(problem, rpcCode) : problem;
}

/** Codes of denials that name none themselves. */
const DENIAL_CODES: ReadonlyMap<number, number> = new Map([
  [403, 403],
  [429, 429],
]);

/** Returns a denial without a challenge: a login of the client cannot lift it. */
function withoutLogin(problem: HttpProblem, rpcCode: number | undefined): HttpProblem {
  const status = problem.status === 401 ? 403 : problem.status;
  const code = rpcCode ?? DENIAL_CODES.get(status) ?? problem.rpc.code;
  const headers = Object.entries(problem.headers).filter(
    ([name]) => name.toLowerCase() !== 'www-authenticate',
  );
  return { ...problem, status, headers: Object.fromEntries(headers), rpc: { ...problem.rpc, code } };
}

/** Statuses of failures that are no decision about a message: they stay HTTP errors over streamable HTTP. */
const FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Marks what middleware or a source of credentials has thrown as a denial, except a failure with 502, 503 or 504. */
export function markThrown(thrown: unknown): Error {
  const error =
    thrown instanceof Error ? thrown : new Error('something else than an Error', { cause: thrown });
  return FAILURES.has(toHttpProblem(error).status) ? error : markDenial(error);
}

/** HTTP statuses that revisions without a handshake tie to codes, before a stream is open. All other codes have 200. */
const STATUS_BY_CODE: ReadonlyMap<number, number> = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
  [-32700, 400],
  [-32600, 400],
]);

/** Returns the HTTP status of a Modern response whose error has this code; undefined: of a result. */
export function modernStatusOf(code: number | undefined): number {
  return code === undefined ? 200 : (STATUS_BY_CODE.get(code) ?? 200);
}

/** Status of a body that is too large for whoever has to judge it. */
const TOO_LARGE = 413;

/**
 * Returns the HTTP status of the response to one request with an id that gets an error. A denial is a JSON-RPC
 * response like that of the server: 200, and in the Modern era what its code says. Other errors have their own.
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

/** The message of a fault, and of what others of ours say is unavailable, may name hosts and files. */
function shownMessage(error: PortolanError): string | undefined {
  if (error.publicMessage !== undefined) return error.publicMessage;
  const errorClass = errorClassOf(error);
  const isForClients = 'answer' in error || (errorClass !== 'fault' && errorClass !== 'unavailable');
  return isForClients ? error.message : undefined;
}

/** The status that an error of others, such as that of an auth provider, is to be answered with. */
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

/** Returns the JSON-RPC error of an event. `data.retryAfterSeconds` is the header `Retry-After` of a failure. */
export function toEventError({ status, headers, rpc }: HttpProblem): RpcError {
  const seconds = Number(headers['Retry-After']);
  if (!FAILURES.has(status) || Number.isNaN(seconds) || rpc.data !== undefined) return rpc;
  return { ...rpc, data: { retryAfterSeconds: seconds } };
}

/** Returns the JSON-RPC error message for an error, for a response that was begun already. */
export function toErrorMessage(error: unknown, id: MessageId | undefined): string {
  return writeError(id, toEventError(toHttpProblem(error)));
}

import { attachResponse, type MessageId } from '@portolan/mcp-protocol';
import { isPortolanError, type Logger, PortolanError, type Refusal } from '@portolan/plugin-api';
import { isDenial, markDenial } from '../errors/denials.ts';
import { markThrown, toHttpProblem } from '../request/http-errors.ts';

const ASK = 'Ask the operator of the workload what its policies allow.';

/** Creates the error for a message that proxy middleware refuses; the client gets only its text. */
export function refusedByPolicy(refusal: Refusal, id: MessageId | undefined): PortolanError {
  const { message, status, code, data, headers } = refusal;
  const error = attachResponse(new PortolanError('ERR_POLICY_REFUSED', 'refused', message, { hint: ASK }), {
    id,
    status: isRefusal(status) ? status : 403,
    rpcCode: code !== undefined && Number.isSafeInteger(code) ? code : 403,
    data,
    ...(headers === undefined ? {} : { headers }),
  });
  return markDenial(error);
}

function isRefusal(status: number | undefined): status is number {
  return status !== undefined && Number.isInteger(status) && status >= 400 && status <= 599;
}

/** Creates the error for proxy middleware that breaks its contract; nothing that it judged passes. */
export function middlewareBroken(name: string, what: string, cause?: unknown): PortolanError {
  return markDenial(
    new PortolanError(
      'ERR_PROXY_MIDDLEWARE',
      'fault',
      `The proxy middleware ${JSON.stringify(name)} breaks its contract: ${what}.`,
      { hint: 'Fix it, or remove it from the run config.', cause },
    ),
  );
}

/** Appends the names of the services that requested the action, such as webhooks. */
export function askedFor(what: string, by: readonly string[]): string {
  return by.length === 0
    ? what
    : `${what} (requested by ${by.map((name) => JSON.stringify(name)).join(', ')})`;
}

/** Creates the error for a path of proxy middleware that could be the server's. */
export function ownPathTaken(name: string, path: string): PortolanError {
  return new PortolanError(
    'ERR_PROXY_MIDDLEWARE',
    'fault',
    `The proxy middleware ${JSON.stringify(name)} cannot serve the path ${JSON.stringify(path)}, which is reserved or already in use.`,
    { hint: 'Serve /metrics or a path below /.well-known/ that no other middleware serves.' },
  );
}

/**
 * Creates the error for two pending requests with one id in a session, because a response on another stream
 * could belong to either.
 */
export function requestIdInUse(id: MessageId): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_REQUEST_ID_IN_USE',
      'conflict',
      'A request with this id is already pending in this session.',
      { hint: 'Use each id only once in a session.' },
    ),
    { id, status: 400 },
  );
}

/**
 * Creates the error for a message of the server that policies cannot read, so that the client does not get
 * it.
 */
export function serverMessageUnreadable(fault: string, id: MessageId | undefined): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_ANSWER_UNREADABLE',
      'unavailable',
      `The response of the server was not forwarded: ${fault}.`,
      { hint: 'Fix the server, or run the workload without policies.' },
    ),
    { id, status: 502, rpcCode: -32603 },
  );
}

/** Returns the error that replaces a message for the client when a policy failed on it. */
export function toRefusal(error: unknown, id: MessageId | undefined, logger: Logger): PortolanError {
  const thrown = markThrown(error);
  const { status, headers, rpc, foreseen } = toHttpProblem(thrown);
  if (!foreseen) logger.error({ err: error }, 'proxy middleware failed');
  if (isPortolanError(thrown)) return thrown;
  const refusal = attachResponse(
    new PortolanError('ERR_POLICY_REFUSED', 'refused', rpc.message, { hint: ASK, cause: error }),
    { id, status, rpcCode: rpc.code, headers },
  );
  return isDenial(thrown) ? markDenial(refusal) : refusal;
}

/** Creates the error for too many pending requests of one session. */
export function requestsExhausted(): PortolanError {
  return new PortolanError('ERR_SERVER_BUSY', 'busy', 'Too many requests of this session are pending.', {
    hint: 'Wait for their responses, or start a new session.',
    retryAfterSeconds: 5,
  });
}

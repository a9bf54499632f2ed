import { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from './message/message.ts';

/** What an answer says beside the text, and where HTTP or MCP has something more exact than the class of the error. */
export interface AnswerDetails {
  readonly id?: MessageId | undefined;
  readonly data?: unknown;
  readonly status?: number;
  /** Of the JSON-RPC error. */
  readonly rpcCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnsweredError = PortolanError & { readonly answer: AnswerDetails };

/** What an error adds to its JSON-RPC answer; nothing for errors of others. */
export function answerDetailsOf(error: unknown): AnswerDetails {
  // SAFETY: the field is made below and nowhere else.
  return error instanceof Error && 'answer' in error ? (error.answer as AnswerDetails) : {};
}

/** Gives an error what its answer says beside the text. */
export function answering(error: PortolanError, answer: AnswerDetails): AnsweredError {
  return Object.assign(error, { answer });
}

/** The body of a POST is no text, or no JSON. */
export function messageNotJson(fault: string, cause: unknown): PortolanError {
  return answering(
    new PortolanError('ERR_MESSAGE_NOT_JSON', 'mistake', `The message cannot be read: ${fault}.`, {
      hint: 'Send one JSON-RPC message as JSON in UTF-8.',
      cause,
    }),
    { rpcCode: -32700 },
  );
}

/** The auth provider has neither said who asks nor why it does not say so. */
export function callerUnknown(): PortolanError {
  return answering(
    new PortolanError('ERR_CALLER_UNKNOWN', 'refused', 'Nobody has said that the credential is good.', {
      hint: 'Look at the auth provider: it has to go on, or to throw.',
    }),
    { status: 401 },
  );
}

/** Two programs could read the message differently, so that what was checked is not what is run. */
export function messageAmbiguous(fault: string): PortolanError {
  return new PortolanError('ERR_MESSAGE_AMBIGUOUS', 'mistake', `The message is refused: ${fault}.`, {
    hint: 'Write each member once, by its exact name, and nest less deeply.',
  });
}

/** The body of a POST is JSON, but no message of JSON-RPC 2.0. */
export function messageInvalid(fault: string, id?: MessageId): PortolanError {
  const error = new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `This is no JSON-RPC 2.0 message: ${fault}.`,
    { hint: 'Send a request, a notification or a response of JSON-RPC 2.0.' },
  );
  return answering(error, { id });
}

/** A batch where revisions allow none, or one that breaks the rules of 2025-03-26. */
export function batchInvalid(fault: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_BATCH_INVALID',
    'mistake',
    `JSON-RPC batch requests are not supported here: ${fault}.`,
    {
      hint: 'Send each message in a request of its own.',
      cause,
    },
  );
}

/** The body is not said to be JSON. A server would read it all the same, past every check. */
export function contentTypeUnsupported(found: string): PortolanError {
  return answering(
    new PortolanError(
      'ERR_CONTENT_TYPE_UNSUPPORTED',
      'mistake',
      `The request has ${found === '' ? 'no content type' : `the content type ${shortened(found)}`}; expected application/json.`,
      { hint: 'Send the message with the header Content-Type: application/json.' },
    ),
    { status: 415 },
  );
}

/** The body is compressed, so that it could not be checked. */
export function contentEncodingUnsupported(found: string): PortolanError {
  return answering(
    new PortolanError(
      'ERR_CONTENT_ENCODING_UNSUPPORTED',
      'mistake',
      `The request has the content encoding ${shortened(found)}; expected none.`,
      { hint: 'Send the message without Content-Encoding.' },
    ),
    { status: 415 },
  );
}

/** The body is larger than any message may be. */
export function messageTooLarge(most: number): PortolanError {
  return answering(
    new PortolanError('ERR_MESSAGE_TOO_LARGE', 'mistake', `The message is larger than ${most} bytes.`, {
      hint: 'Send less in one message.',
    }),
    { status: 413, headers: { Connection: 'close' } },
  );
}

/** One of several values of a header would be believed by one program and another by the next. */
export function headerRepeated(name: string): PortolanError {
  return new PortolanError(
    'ERR_HEADER_REPEATED',
    'mistake',
    `The request has more than one ${name} header.`,
    { hint: 'Send the header once.' },
  );
}

/** A session id that none of ours can be. */
export function sessionIdMalformed(): PortolanError {
  return new PortolanError(
    'ERR_SESSION_ID_MALFORMED',
    'mistake',
    'The header Mcp-Session-Id holds no session id.',
    { hint: 'Send the id that the answer to "initialize" came with: 1 to 256 visible ASCII characters.' },
  );
}

/** Only `initialize` may come without a session. */
export function sessionMissing(): PortolanError {
  return new PortolanError('ERR_SESSION_MISSING', 'mistake', 'The request has no session.', {
    hint: 'Send "initialize" first, and the Mcp-Session-Id of its answer with everything after it.',
  });
}

/** A client greets the server again on a stream whose session has begun. */
export function sessionBegun(): PortolanError {
  return new PortolanError('ERR_SESSION_BEGUN', 'mistake', 'The session of this stream has begun already.', {
    hint: 'Open another stream for another session.',
  });
}

/** The session ended, or never was. */
export function sessionUnknown(): PortolanError {
  return answering(
    new PortolanError('ERR_SESSION_UNKNOWN', 'absent', 'Session not found', {
      hint: 'Send "initialize" without a session id to begin a new session.',
    }),
    { rpcCode: -32001 },
  );
}

/** As many sessions are open as there may be, and none of them was idle for long enough to make room. */
export function sessionsExhausted(most: number): PortolanError {
  return new PortolanError(
    'ERR_SESSIONS_EXHAUSTED',
    'busy',
    `All ${most} sessions of this server are in use.`,
    {
      hint: 'Try again later, end a session with DELETE, or allow more with --max-sessions.',
      retryAfterSeconds: 5,
    },
  );
}

/** Header and body of a request contradict each other, or a header that has to repeat the body is missing. */
export function headerMismatch(fault: string): PortolanError {
  return answering(
    new PortolanError('ERR_HEADER_MISMATCH', 'mistake', `Headers and body differ: ${fault}.`, {
      hint: 'Send MCP-Protocol-Version, Mcp-Method and Mcp-Name as they are in the body.',
    }),
    { rpcCode: -32020 },
  );
}

/** The envelope in `params._meta` is incomplete. */
export function envelopeInvalid(fault: string): PortolanError {
  return answering(
    new PortolanError('ERR_ENVELOPE_INVALID', 'mistake', `The request does not describe itself: ${fault}.`, {
      hint: 'Put protocolVersion and clientCapabilities into "params._meta", with the prefix io.modelcontextprotocol/.',
    }),
    { rpcCode: -32602 },
  );
}

/** A request names a revision that is not served. */
export function revisionUnsupported(requested: string, supported: readonly string[]): PortolanError {
  const error = new PortolanError(
    'ERR_REVISION_UNSUPPORTED',
    'mistake',
    `The revision ${shortened(requested)} is not served.`,
    { hint: `Use one of ${supported.join(', ')}.` },
  );
  return answering(error, { rpcCode: -32022, data: { supported, requested } });
}

/** The header names no revision that has sessions. */
export function revisionUnknown(found: string, known: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_REVISION_UNKNOWN',
    'mistake',
    `MCP-Protocol-Version is ${shortened(found)}; expected one of ${known.join(', ')}.`,
    { hint: 'Send the version that the answer to "initialize" named.' },
  );
}

/** The server behind speaks only revisions with a handshake; clients that know both fall back to it. */
export function serverIsLegacy(served: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SERVER_IS_LEGACY',
    'mistake',
    `This server is reached by "initialize", in the revisions ${served.join(', ')}.`,
    { hint: 'Begin with "initialize".' },
  );
}

/** A method that the revision of the request does not have. */
export function methodUnknown(method: string): PortolanError {
  return answering(
    new PortolanError('ERR_METHOD_UNKNOWN', 'absent', `Method not found: ${shortened(method)}`, {
      hint: 'Use the methods of the revision that the request names.',
    }),
    { rpcCode: -32601 },
  );
}

/** More streams for changes are open than one server may have. */
export function subscriptionsExhausted(most: number): PortolanError {
  return new PortolanError(
    'ERR_SUBSCRIPTIONS_EXHAUSTED',
    'busy',
    `Subscription limit reached: ${most} are open.`,
    { hint: 'Close one, or try again later.', retryAfterSeconds: 60 },
  );
}

/** The old HTTP+SSE transport knows only revisions with a handshake. */
export function transportIsLegacy(served: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_TRANSPORT_IS_LEGACY',
    'mistake',
    `Over HTTP+SSE only ${served.join(', ')} are served; newer revisions need streamable HTTP.`,
    { hint: 'Run the server with --proxy-mode streamable-http.' },
  );
}

/** The Host header names none of the names under which a listener on loopback is reached. */
export function hostNotAllowed(): PortolanError {
  return new PortolanError('ERR_HOST_NOT_ALLOWED', 'refused', 'Host not allowed', {
    hint: 'Use localhost or an IP address: other names could be of a web page that pretends to be this machine.',
  });
}

/** A web page of another origin asks. */
export function originNotAllowed(): PortolanError {
  return new PortolanError('ERR_ORIGIN_NOT_ALLOWED', 'refused', 'Origin not allowed', {
    hint: 'Allow the origin with --allowed-origins.',
  });
}

/** The path has this method not. */
export function methodNotPossible(method: string, allowed: readonly string[]): PortolanError {
  return answering(
    new PortolanError(
      'ERR_METHOD_NOT_POSSIBLE',
      'mistake',
      `${shortened(method)} is not possible here; allowed: ${allowed.join(', ')}.`,
      { hint: 'Use one of the methods in the message.' },
    ),
    { status: 405 },
  );
}

/** The client asks for another protocol on the connection. */
export function upgradeNotPossible(): PortolanError {
  return new PortolanError('ERR_UPGRADE_NOT_POSSIBLE', 'mistake', 'The connection cannot be upgraded.', {
    hint: 'Use plain HTTP: MCP has no transport over WebSocket.',
  });
}

/** Nothing of MCP is at this path. */
export function pathUnknown(expected: string): PortolanError {
  return new PortolanError(
    'ERR_PATH_UNKNOWN',
    'absent',
    `There is nothing here; the server is at ${expected}.`,
    { hint: `Use the path ${expected}.` },
  );
}

/** The client can read neither of the two forms of an answer. */
export function notAcceptable(needed: string): PortolanError {
  return answering(
    new PortolanError('ERR_NOT_ACCEPTABLE', 'mistake', `Not acceptable: the client must accept ${needed}.`, {
      hint: `Send the header Accept: ${needed}.`,
    }),
    { status: 406 },
  );
}

/** The server's process ended while somebody waited for its answer. */
export function serverExited(cause?: unknown): PortolanError {
  const error = new PortolanError(
    'ERR_SERVER_EXITED',
    'unavailable',
    'The server ended before it answered.',
    {
      hint: 'Look at the log of the workload, and begin a new session.',
      cause,
    },
  );
  return answering(error, { data: { reason: 'server_exited' } });
}

/** The server's answer is longer than a message may be. */
export function answerTooLarge(): PortolanError {
  const error = new PortolanError(
    'ERR_ANSWER_TOO_LARGE',
    'unavailable',
    'The answer of the server is too large.',
    { hint: 'Ask the server for less at once.' },
  );
  return answering(error, { data: { reason: 'response_too_large' } });
}

/** No answer came in time. */
export function serverTimedOut(limitMs: number): PortolanError {
  const error = new PortolanError(
    'ERR_SERVER_TIMED_OUT',
    'unavailable',
    `No answer within ${limitMs / 1000} s.`,
    { hint: 'Look at the log of the workload; servers keep a request alive by reporting progress.' },
  );
  return answering(error, { status: 504, data: { reason: 'timeout' } });
}

/** The client cancelled the request, and the server did not answer it any more. */
export function requestCancelled(): PortolanError {
  const error = new PortolanError('ERR_REQUEST_CANCELLED', 'conflict', 'The request was cancelled.', {
    hint: 'Nothing: the client asked for it.',
  });
  return answering(error, { status: 200, rpcCode: -32603, data: { reason: 'cancelled' } });
}

/** The server takes its messages slower than they come. */
export function serverBusy(): PortolanError {
  return new PortolanError('ERR_SERVER_BUSY', 'busy', 'The server does not read its messages.', {
    hint: 'Try again later; look at the log of the workload.',
    retryAfterSeconds: 5,
  });
}

/** No process of the server could be had in time. */
export function serverNotStarted(cause?: unknown): PortolanError {
  return new PortolanError('ERR_SERVER_NOT_STARTED', 'busy', 'The server is being started.', {
    hint: 'Try again in a few seconds; the log of the workload says why it takes long.',
    retryAfterSeconds: 5,
    cause,
  });
}

/** The session ended while somebody waited for an answer in it. */
export function sessionEnded(): PortolanError {
  return answering(
    new PortolanError('ERR_SESSION_ENDED', 'absent', 'The session has ended.', {
      hint: 'Begin a new session with "initialize".',
    }),
    { rpcCode: -32001 },
  );
}

/** The proxy stops. */
export function proxyClosing(): PortolanError {
  return new PortolanError('ERR_PROXY_CLOSING', 'busy', 'The proxy is stopping.', {
    hint: 'Connect again once the workload runs.',
    retryAfterSeconds: 5,
  });
}

/** The server behind a reverse proxy cannot be reached. The code of the cause tells a name from a certificate. */
export function backendUnreachable(cause: unknown): PortolanError {
  const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
  const why = hasCode ? ` (${shortened(String(cause.code))})` : '';
  return answering(
    new PortolanError('ERR_BACKEND_UNREACHABLE', 'unavailable', `The server cannot be reached${why}.`, {
      hint: 'Look at the log of the workload: does the server listen at the target port?',
      cause,
    }),
    { status: 502 },
  );
}

/** A connection to the server behind a reverse proxy was not made in time. */
export function backendTooSlow(limitMs: number): PortolanError {
  return answering(
    new PortolanError(
      'ERR_BACKEND_TOO_SLOW',
      'unavailable',
      `No connection to the server within ${limitMs / 1000} s.`,
      { hint: 'Check that the address of the server is right and reachable from here.' },
    ),
    { status: 504 },
  );
}

/** A remote server sends its clients somewhere else than they may be sent. */
export function redirectRefused(reason: string): PortolanError {
  return answering(
    new PortolanError(
      'ERR_REDIRECT_REFUSED',
      'unavailable',
      `The server redirects the request, and ${reason}.`,
      { hint: 'Run the workload with the address that the server redirects to.' },
    ),
    { status: 502 },
  );
}

/** The event stream of a server names an endpoint on another machine. */
export function endpointForeign(): PortolanError {
  return new PortolanError(
    'ERR_ENDPOINT_FOREIGN',
    'unavailable',
    'The server announced an endpoint of a foreign origin.',
    { hint: 'Use the address at which the server itself answers.' },
  );
}

/** An answer that has to be read before it may pass came in a form that cannot be. */
export function answerUnreadable(encoding: string): PortolanError {
  return answering(
    new PortolanError(
      'ERR_ANSWER_UNREADABLE',
      'unavailable',
      `The server compressed its answer (${shortened(encoding)}) although it was asked not to.`,
      { hint: 'Switch compression off in the server.' },
    ),
    { status: 502 },
  );
}

/** An event stream that has to be read holds an event larger than any may be. */
export function eventTooLarge(most: number): PortolanError {
  return new PortolanError(
    'ERR_EVENT_TOO_LARGE',
    'unavailable',
    `The server sent an event larger than ${most} bytes.`,
    { hint: 'Look at what the server sends.' },
  );
}

/** The address of the proxy is in use. */
export function proxyPortInUse(address: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PROXY_PORT_IN_USE',
    'conflict',
    `The address ${address} of the proxy is in use.`,
    {
      hint: 'Choose another port with --proxy-port, or leave it out to get a free one.',
      cause,
    },
  );
}

/** The proxy cannot listen at its address for another reason. */
export function proxyAddressUnusable(address: string, cause: Error): PortolanError {
  return new PortolanError(
    'ERR_PROXY_ADDRESS_UNUSABLE',
    'fault',
    `The proxy cannot listen at ${address}: ${cause.message}.`,
    { hint: 'Choose an address of this machine with --host, and a port above 1023.', cause },
  );
}

/** A header that is to be sent to a remote server has no name, or one that headers cannot have. */
export function forwardedHeaderInvalid(name: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_FORWARDED_HEADER_INVALID',
    'fault',
    `The header ${JSON.stringify(shortened(name))} cannot be forwarded: ${fault}.`,
    { hint: 'Write --remote-forward-headers Name=Value.' },
  );
}

/** A header that belongs to the connection itself, not to what is sent over it. */
export function forwardedHeaderRestricted(name: string): PortolanError {
  return new PortolanError(
    'ERR_FORWARDED_HEADER_RESTRICTED',
    'refused',
    `header "${name}" is restricted and cannot be configured for forwarding`,
    { hint: 'Leave the header out; the proxy sets it by itself.' },
  );
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** The store of sessions cannot be asked, so that nobody knows whose a session is. */
export function sessionsUnavailable(cause: unknown): PortolanError {
  return answering(
    new PortolanError('ERR_SESSIONS_UNAVAILABLE', 'unavailable', 'Sessions cannot be looked up now.', {
      hint: 'Look at the session store (--session-store); the session goes on once it is there again.',
      retryAfterSeconds: 5,
      cause,
    }),
    { status: 503 },
  );
}

/** There is nothing in a store of sessions for this server. */
export function sessionsNotKept(server: string): PortolanError {
  return new PortolanError(
    'ERR_SESSIONS_NOT_KEPT',
    'mistake',
    `Sessions of ${server} cannot be kept in a session store.`,
    { hint: 'Leave --session-store out: it is for servers and remotes that speak streamable HTTP.' },
  );
}

import type { ErrorCode } from './read-error-codes.ts';

const madeIn = 'packages/registry-server';
const problems = `${madeIn}/src/http-errors.ts`;
const connections = `${madeIn}/src/listen/reject-bad-request.ts`;

/**
 * Error codes that exist only in HTTP responses. They describe failures without a `PortolanError`, such as a
 * refusal by a plugin's middleware.
 */
export const HTTP_CODES: readonly ErrorCode[] = [
  {
    code: 'ERR_BAD_REQUEST',
    message: 'what the middleware of a plugin says, or: The request was refused.',
    cause: 'Middleware of a plugin refused the request with status 400.',
    remedy: 'Correct the request; the documentation of the plugin says how.',
    madeIn,
    file: problems,
  },
  {
    code: 'ERR_FORBIDDEN',
    message: 'what the middleware of a plugin says, or: The request was refused.',
    cause: 'Middleware of a plugin refused the request with status 403.',
    remedy: 'Ask whoever runs the registry.',
    madeIn,
    file: problems,
  },
  {
    code: 'ERR_HEADERS_TOO_LARGE',
    message: 'The request head is too large.',
    cause: 'Address and headers of the request are longer than the server takes.',
    remedy: 'Send shorter headers, or a shorter address.',
    madeIn,
    file: connections,
  },
  {
    code: 'ERR_INTERNAL',
    message: 'Internal error. The log of the server has the reason under this request ID.',
    cause:
      'An error that nobody foresaw, or one whose text is not for whoever asks: a plugin that failed in a hook.',
    remedy: 'Look for the `requestId` in the log of the server.',
    madeIn,
    file: problems,
  },
  {
    code: 'ERR_NOT_FOUND',
    message: 'what the middleware of a plugin says, or: The request was refused.',
    cause: 'Middleware of a plugin refused the request with status 404.',
    remedy: 'Check the address.',
    madeIn,
    file: problems,
  },
  {
    code: 'ERR_REQUEST_MALFORMED',
    message: 'This is no HTTP/1.1 request.',
    cause: 'What arrived is not HTTP, or breaks its rules: TLS to a listener without it, for example.',
    remedy: 'Check scheme and port of the address.',
    madeIn,
    file: connections,
  },
  {
    code: 'ERR_REQUEST_REFUSED',
    message: 'what the middleware of a plugin says, or: The request was refused.',
    cause: 'Middleware of a plugin refused the request with another status from 400 to 499.',
    remedy: 'The status says why; the documentation of the plugin says more.',
    madeIn,
    file: problems,
  },
  {
    code: 'ERR_REQUEST_TIMEOUT',
    message: 'The request took too long to arrive.',
    cause: 'The head or the body of the request was not complete in time.',
    remedy: 'Send the request again.',
    madeIn,
    file: connections,
  },
  {
    code: 'ERR_TOO_MANY_REQUESTS',
    message: 'what the middleware of a plugin says, or: The request was refused.',
    cause: 'Middleware of a plugin refused the request with status 429.',
    remedy: 'Wait as long as the header `Retry-After` says, then send it again.',
    madeIn,
    file: problems,
  },
];

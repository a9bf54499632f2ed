import { PortolanError } from '@portolan/plugin-api';

/** Status that is more exact than the class's, or headers. */
interface ResponseFields {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function answered(error: PortolanError, response: ResponseFields): PortolanError {
  return Object.assign(error, response);
}

/** Creates the error for a path without a route on this listener. */
export function routeNotFound(path: string, whereToLook: string): PortolanError {
  return new PortolanError('ERR_ROUTE_NOT_FOUND', 'absent', `There is nothing at ${shortened(path)}.`, {
    hint: whereToLook,
  });
}

/** Creates the error for a path that does not support the method. */
export function methodNotAllowed(method: string, allowed: readonly string[]): PortolanError {
  return answered(
    new PortolanError(
      'ERR_METHOD_NOT_ALLOWED',
      'mistake',
      `The method ${method} is not allowed here; expected one of ${allowed.join(', ')}.`,
    ),
    { status: 405 },
  );
}

/** Creates the error for a path with a malformed percent escape or an invalid character. */
export function pathMalformed(path: string): PortolanError {
  return new PortolanError(
    'ERR_TARGET_MALFORMED',
    'mistake',
    `The path ${shortened(path)} has a malformed percent escape.`,
    { hint: 'Write each byte of a UTF-8 character as % and two hexadecimal digits.' },
  );
}

/** Creates the error for a request target that is neither a path nor an HTTP address. */
export function targetMalformed(target: string): PortolanError {
  return new PortolanError(
    'ERR_TARGET_MALFORMED',
    'mistake',
    `The request target is ${shortened(target)}; expected a path or an http address.`,
    { hint: 'Send a path, such as /registry.' },
  );
}

/** Creates the error for a missing Host header, which RFC 9112, section 3.2, requires in HTTP/1.1. */
export function hostMissing(): PortolanError {
  return new PortolanError('ERR_HOST_INVALID', 'mistake', 'The request has no Host header.');
}

/**
 * Creates the error for more than one Host header (RFC 9112, section 3.2). A proxy may have used the other
 * one.
 */
export function hostRepeated(): PortolanError {
  return new PortolanError('ERR_HOST_INVALID', 'mistake', 'The request has more than one Host header.');
}

/**
 * Creates the error for a Host header whose name a web page could have pointed at this server (DNS
 * rebinding).
 */
export function hostNotAllowed(host: string): PortolanError {
  return new PortolanError(
    'ERR_HOST_NOT_ALLOWED',
    'refused',
    `The Host "${shortened(host)}" is not allowed; expected an IP address, localhost, or the host of server.publicUrl.`,
    {
      hint: 'Set `server.publicUrl` to the address that clients use. Behind a reverse proxy, add its address to `server.trustedProxies`.',
    },
  );
}

/**
 * Creates the error for a web page of another host whose request is not a cross-origin read of the consumer
 * API.
 */
export function originNotAllowed(origin: string): PortolanError {
  return new PortolanError(
    'ERR_ORIGIN_NOT_ALLOWED',
    'refused',
    `The Origin "${shortened(origin)}" is not allowed; expected the host of this server.`,
    {
      hint: 'Set `server.publicUrl` to the address that browsers use, or `server.trustedProxies` for a proxy that forwards their host. `server.cors.allowedOrigins` lists origins that may read the consumer API.',
    },
  );
}

/** Creates the error for invalid path or query parameters. It names all of them and the accepted values. */
export function parametersInvalid(problems: readonly string[], accepted: string | undefined): PortolanError {
  const details = accepted === undefined ? {} : { hint: accepted };
  return new PortolanError('ERR_PARAMETER_INVALID', 'mistake', problems.join(' '), details);
}

/** Creates the error for a cursor that this server did not create for this list, or that was modified. */
export function cursorInvalid(): PortolanError {
  return new PortolanError('ERR_CURSOR_INVALID', 'mistake', 'The cursor is invalid.', {
    hint: 'Send metadata.nextCursor of the previous page, unchanged, to the same list.',
  });
}

/** Creates the error for a filter that differs from the one of the cursor. */
export function cursorOfOtherFilter(name: string): PortolanError {
  return new PortolanError(
    'ERR_CURSOR_INVALID',
    'mistake',
    `The cursor belongs to a list with another value of "${name}".`,
    {
      hint: 'Send the cursor with the same filters or without filters, or start without a cursor.',
    },
  );
}

/** Creates the error for a request body above the size limit. */
export function bodyTooLarge(bytes: number | undefined, most: number): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_TOO_LARGE',
      'mistake',
      `The request body has ${bytes ?? 'too many'} bytes; expected at most ${most}.`,
    ),
    { status: 413 },
  );
}

/** Creates the error for a body that did not arrive in time. */
export function bodyTooSlow(): PortolanError {
  return answered(
    new PortolanError('ERR_BODY_TOO_SLOW', 'mistake', 'The request body did not arrive in time.', {
      hint: 'Send the body without pauses. `server.requestTimeout` is the maximum time of a request.',
    }),
    { status: 408, headers: { Connection: 'close' } },
  );
}

/** Creates the error for a body whose content type is not JSON. */
export function bodyNotJson(actual: string): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_NOT_JSON',
      'mistake',
      `The request has ${actual === '' ? 'no content type' : `the content type ${shortened(actual)}`}; expected application/json.`,
      { hint: 'Send a JSON object with the header Content-Type: application/json.' },
    ),
    { status: 415 },
  );
}

/** Creates the error for a compressed body. */
export function bodyCompressed(): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_NOT_JSON',
      'mistake',
      'The request body is compressed; expected no Content-Encoding.',
      { hint: 'Send the body uncompressed.' },
    ),
    { status: 415 },
  );
}

/** Creates the error for a body that is not an unambiguous JSON object. */
export function bodyMalformed(fault: string): PortolanError {
  return new PortolanError('ERR_BODY_INVALID', 'mistake', `The request body is invalid: ${fault}.`, {
    hint: 'Send one JSON object in UTF-8, with each key once.',
  });
}

/** Creates the error for a page's request body that is neither a form nor JSON. */
export function bodyNotForm(actual: string): PortolanError {
  return answered(
    new PortolanError(
      'ERR_CONTENT_TYPE_UNSUPPORTED',
      'mistake',
      `The request has the content type ${shortened(actual)}; expected a form or JSON.`,
      { hint: 'Send application/x-www-form-urlencoded, like the forms of the page.' },
    ),
    { status: 415 },
  );
}

/** The place, such as `git.branch`, is empty for the whole body. */
export interface PlacedIssue {
  readonly path: string;
  readonly message: string;
}

/** Attaches machine-readable problems with their places, if known. */
export function withIssues(error: PortolanError, issues: readonly PlacedIssue[]): PortolanError {
  return issues.length === 0 ? error : Object.assign(error, { issues });
}

/** Creates the error for a JSON body that this endpoint does not accept. It names every problem. */
export function bodyInvalid(problems: readonly (string | PlacedIssue)[], hint: string): PortolanError {
  const issues = problems.map((problem) =>
    typeof problem === 'string' ? { path: '', message: problem } : problem,
  );
  const text = issues.map(({ message }) => message).join(' ');
  const isPlaced = issues.some(({ path }) => path !== '');
  return withIssues(new PortolanError('ERR_BODY_INVALID', 'mistake', text, { hint }), isPlaced ? issues : []);
}

/** Creates the error for a request that exceeded its time limit. */
export function deadlineExceeded(limitMs: number): PortolanError {
  return answered(
    new PortolanError('ERR_DEADLINE_EXCEEDED', 'busy', `The response took longer than ${limitMs} ms.`, {
      hint: 'Retry, or request less at once.',
    }),
    { status: 504 },
  );
}

export function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
}

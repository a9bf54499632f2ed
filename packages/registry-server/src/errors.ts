import { PortolanError } from '@portolan/plugin-api';

/** How an error is answered where HTTP has a more exact status than its class, or a header to say. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error, and how it is answered. */
export function answered(error: PortolanError, answer: Answer): PortolanError {
  return Object.assign(error, answer);
}

/** No route has this path on this listener. */
export function routeNotFound(path: string, whereToLook: string): PortolanError {
  return new PortolanError('ERR_ROUTE_NOT_FOUND', 'absent', `There is nothing at ${shortened(path)}.`, {
    hint: whereToLook,
  });
}

/** The path exists, but not with this method. */
export function methodNotAllowed(method: string, allowed: readonly string[]): PortolanError {
  return answered(
    new PortolanError(
      'ERR_METHOD_NOT_ALLOWED',
      'mistake',
      `${method} is not possible here; allowed: ${allowed.join(', ')}.`,
    ),
    { status: 405 },
  );
}

/** A percent escape in the path stands for no character, or the path holds none that a path may hold. */
export function pathMalformed(path: string): PortolanError {
  return new PortolanError(
    'ERR_PATH_MALFORMED',
    'mistake',
    `The path ${shortened(path)} has a malformed percent escape.`,
    { hint: 'Write each byte of a UTF-8 character as % and two hexadecimal digits.' },
  );
}

/** The target of the request is neither a path nor an address of a web server. */
export function targetMalformed(target: string): PortolanError {
  return new PortolanError(
    'ERR_TARGET_MALFORMED',
    'mistake',
    `The request is for ${shortened(target)}, which is no address of a server.`,
    { hint: 'Ask for a path, such as /registry.' },
  );
}

/** RFC 9112 section 3.2 wants a Host header on every HTTP/1.1 request. */
export function hostMissing(): PortolanError {
  return new PortolanError('ERR_HOST_MISSING', 'mistake', 'The request has no Host header.');
}

/** RFC 9112 section 3.2 wants no more than one: a proxy may have gone by the other. */
export function hostRepeated(): PortolanError {
  return new PortolanError('ERR_HOST_REPEATED', 'mistake', 'The request has more than one Host header.');
}

/** The Host header has a name that a web page could have made resolve to this server. */
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

/** A web page of another host sends a request that is no cross-origin read of the consumer API. */
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

/** Parameters of the path or the query cannot be used; all of them are named, with what is accepted. */
export function parametersInvalid(problems: readonly string[], accepted: string | undefined): PortolanError {
  const details = accepted === undefined ? {} : { hint: accepted };
  return new PortolanError('ERR_PARAMETER_INVALID', 'mistake', problems.join(' '), details);
}

/** The cursor was not made by this server for this list, or was changed on its way. */
export function cursorInvalid(): PortolanError {
  return new PortolanError('ERR_CURSOR_INVALID', 'mistake', 'The cursor cannot be read.', {
    hint: 'Send metadata.nextCursor of the page before, unchanged, to the same list.',
  });
}

/** A filter beside the cursor differs from the one the cursor was made for. */
export function cursorOfOtherFilter(name: string): PortolanError {
  return new PortolanError(
    'ERR_CURSOR_INVALID',
    'mistake',
    `The cursor belongs to a list with another "${name}".`,
    {
      hint: 'A cursor carries its filters: leave them out, repeat them unchanged, or start without the cursor.',
    },
  );
}

/** The request body is larger than any request of this server needs. */
export function bodyTooLarge(bytes: number | undefined, most: number): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_TOO_LARGE',
      'mistake',
      `The request body has ${bytes ?? 'too many'} bytes; at most ${most} are taken.`,
    ),
    { status: 413 },
  );
}

/** The body did not arrive within the time a request may take. */
export function bodyTooSlow(): PortolanError {
  return answered(
    new PortolanError('ERR_BODY_TOO_SLOW', 'mistake', 'The request body took too long to arrive.', {
      hint: 'Send it at once; `server.requestTimeout` is the time a request may take.',
    }),
    { status: 408, headers: { Connection: 'close' } },
  );
}

/** The request body is not said to be JSON. */
export function bodyNotJson(found: string): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_NOT_JSON',
      'mistake',
      `The request has ${found === '' ? 'no content type' : `the content type ${shortened(found)}`}; expected application/json.`,
      { hint: 'Send a JSON object with the header Content-Type: application/json.' },
    ),
    { status: 415 },
  );
}

/** The request body is compressed. */
export function bodyCompressed(): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_NOT_JSON',
      'mistake',
      'The request body is compressed; expected it as it is.',
      { hint: 'Send it without Content-Encoding.' },
    ),
    { status: 415 },
  );
}

/** The request body is no JSON object that every program reads alike. */
export function bodyMalformed(fault: string): PortolanError {
  return new PortolanError('ERR_BODY_MALFORMED', 'mistake', `The request body cannot be used: ${fault}.`, {
    hint: 'Send one JSON object in UTF-8, each key once.',
  });
}

/** The body of a request for a page is neither a form nor JSON. */
export function bodyNotForm(found: string): PortolanError {
  return answered(
    new PortolanError(
      'ERR_BODY_NOT_FORM',
      'mistake',
      `The request has the content type ${shortened(found)}; expected a form or JSON.`,
      { hint: 'Send application/x-www-form-urlencoded, as the forms of the page do.' },
    ),
    { status: 415 },
  );
}

/** Something that is wrong with a body, and where: `git.branch`, `sources`; empty for the whole of it. */
export interface PlacedIssue {
  readonly path: string;
  readonly message: string;
}

/** The error, telling programs one by one, and with its place, what its message tells people; nothing where that is not known. */
export function withIssues(error: PortolanError, issues: readonly PlacedIssue[]): PortolanError {
  return issues.length === 0 ? error : Object.assign(error, { issues });
}

/** The request body is JSON, but not what this endpoint takes; every problem is named. */
export function bodyInvalid(problems: readonly (string | PlacedIssue)[], hint: string): PortolanError {
  const issues = problems.map((problem) =>
    typeof problem === 'string' ? { path: '', message: problem } : problem,
  );
  const text = issues.map(({ message }) => message).join(' ');
  const isPlaced = issues.some(({ path }) => path !== '');
  return withIssues(new PortolanError('ERR_BODY_INVALID', 'mistake', text, { hint }), isPlaced ? issues : []);
}

/** The request took longer than one request may. */
export function deadlineExceeded(limitMs: number): PortolanError {
  return answered(
    new PortolanError('ERR_DEADLINE_EXCEEDED', 'busy', `The answer took longer than ${limitMs} ms.`, {
      hint: 'Try again, or ask for less at once.',
    }),
    { status: 504 },
  );
}

/** Long text from outside, cut for a message. */
export function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
}

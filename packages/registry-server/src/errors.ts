import { PortolanError } from '@portolan/plugin-api';

/** How an error is answered where HTTP has a more exact status than its class, or a header to say. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function answered(error: PortolanError, answer: Answer): PortolanError {
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

/** The caller lacks the role that an operation needs. */
export function roleMissing(role: string): PortolanError {
  return new PortolanError('ERR_ROLE_MISSING', 'refused', 'forbidden: insufficient permissions', {
    hint: `This needs the role ${role === 'superAdmin' ? role : `${role} or superAdmin`}; GET /v1/me shows your roles.`,
  });
}

/** An explanation about somebody else was asked for. */
export function explanationForbidden(): PortolanError {
  return new PortolanError(
    'ERR_EXPLANATION_FORBIDDEN',
    'refused',
    'Only a superAdmin may ask about another caller.',
    { hint: 'Leave "caller" out to ask about yourself.' },
  );
}

/** Nobody is logged in, and the resource is about whoever is. */
export function authenticationRequired(): PortolanError {
  return answered(new PortolanError('ERR_AUTHENTICATION_REQUIRED', 'refused', 'authentication required'), {
    status: 401,
  });
}

/** The registry does not exist. */
export function registryNotFound(name: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_FOUND', 'absent', `There is no registry "${shortened(name)}".`, {
    hint: 'GET /registry lists the registries of this server.',
  });
}

/** The caller does not pass the gate of a registry. */
export function registryForbidden(name: string): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_FORBIDDEN',
    'refused',
    `forbidden: insufficient claims for registry "${name}"`,
  );
}

/** The entry, or this version of it, does not exist or is hidden from the caller. */
export function entryNotFound(): PortolanError {
  return new PortolanError('ERR_ENTRY_NOT_FOUND', 'absent', 'not found');
}

/** No OAuth resource is described: the server asks nobody for a token. */
export function metadataNotFound(): PortolanError {
  return new PortolanError(
    'ERR_METADATA_NOT_FOUND',
    'absent',
    'There is no OAuth resource at this address that needs a token.',
  );
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

/** The service cannot do its work yet, or not any longer. */
export function notReady(reasons: readonly string[]): PortolanError {
  return new PortolanError('ERR_NOT_READY', 'busy', 'service not ready', { hint: reasons.join(' ') });
}

/** No requests are remembered: nobody asked for it. */
export function eventsNotKept(): PortolanError {
  return new PortolanError('ERR_EVENTS_NOT_KEPT', 'absent', 'This server remembers no audit events.', {
    hint: 'It does where `audit.enabled` is true, or where it has pages.',
  });
}

/** Measurements are switched off. */
export function metricsDisabled(): PortolanError {
  return new PortolanError('ERR_METRICS_DISABLED', 'absent', 'Metrics are switched off.', {
    hint: 'Set `telemetry.metrics.enabled: true`.',
  });
}

/** Too many scrapes run already. */
export function tooManyScrapes(most: number): PortolanError {
  return new PortolanError('ERR_TOO_MANY_SCRAPES', 'busy', `${most} scrapes run already.`, {
    hint: 'Scrape less often.',
  });
}

/** Another program, or another listener, has the address. */
export function addressInUse(
  listener: string,
  address: string,
  remedy: string,
  cause: unknown,
): PortolanError {
  return new PortolanError(
    'ERR_ADDRESS_IN_USE',
    'conflict',
    `The address ${address} of the ${listener} listener is in use.`,
    {
      hint: `Stop the program that listens there, or choose another address with ${remedy}.`,
      cause,
    },
  );
}

/** The address is not of this machine, or this user may not listen there. */
export function addressUnusable(
  listener: string,
  address: string,
  remedy: string,
  cause: unknown,
): PortolanError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError(
    'ERR_ADDRESS_UNUSABLE',
    'fault',
    `The ${listener} listener cannot listen at ${address}: ${reason}.`,
    { hint: `Choose another address with ${remedy}.`, cause },
  );
}

/** The text is no address to listen at. */
export function addressInvalid(found: string): PortolanError {
  return new PortolanError(
    'ERR_ADDRESS_INVALID',
    'mistake',
    `Found ${JSON.stringify(found)}; expected HOST:PORT.`,
    { hint: 'For example 127.0.0.1:8080, [::1]:8080, or :8080 for every interface.' },
  );
}

/** A middleware kind asks for a place beside a step that does not exist. */
export function middlewarePlaceUnknown(kind: string, step: string, steps: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_MIDDLEWARE_PLACE',
    'mistake',
    `Middleware "${kind}" is placed beside step "${step}"; expected one of ${steps.join(', ')}.`,
    { hint: 'Correct `placed` in the plugin that brings it.' },
  );
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

/** Two pages, or a page and a route of the API, have one address or one name. */
export function pageTaken(
  { method, path, name }: { readonly method: string; readonly path: string; readonly name: string },
  other: string,
): PortolanError {
  return new PortolanError(
    'ERR_PAGE_TAKEN',
    'mistake',
    `The page "${name}" (${method} ${path}) has an address or a name that "${other}" has.`,
    { hint: 'Take one kind out of `pages`, or ask the author of the plugin for another address.' },
  );
}

/** The keys of sessions, which were in order when the configuration was checked, are not any more. */
export function sessionKeysUnusable(found: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SESSION_KEYS',
    'fault',
    `sessions.keyFile: found ${found}; expected ${expected}.`,
    {
      hint: 'Check the file, and that the user that runs Portolan may read it.',
    },
  );
}

/** Long text from outside, cut for a message. */
function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
}

/** `--watch` was asked for, and the configuration is in no file. */
export function nothingToWatch(): PortolanError {
  return new PortolanError(
    'ERR_NOTHING_TO_WATCH',
    'mistake',
    'the configuration is in no file that could be watched',
    {
      hint: 'leave --watch out, or name a file with --config',
    },
  );
}

/** A stop took longer than it may, most likely because a plugin does not heed its signal. */
export function stopIncomplete(limitMs: number): PortolanError {
  return new PortolanError(
    'ERR_STOP_INCOMPLETE',
    'fault',
    `not everything was closed within ${limitMs / 1000} s; ended all the same`,
    {
      hint: 'the log says what was still open; nothing that was answered is lost',
    },
  );
}

/**
 * A source that was to be made through the API could not be checked, and not for
 * what was asked. A mistake of whoever set the server up is a fault to its callers.
 */
export function sourceUnchecked(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_UNCHECKED', 'fault', 'The source could not be checked.', {
    hint: 'Look at the cause in the log: a plugin of this server failed.',
    cause,
  });
}

/** Claims of a source that was to be made through the API are too many or too long. */
export function sourceClaimsInvalid(problems: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_INVALID',
    'mistake',
    `The source cannot be used. ${problems.join(' ')}`,
    {
      hint: 'Give fewer or shorter claims.',
    },
  );
}

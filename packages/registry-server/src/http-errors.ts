import { errorClassOf, type ErrorClass, isPortolanError, type PortolanError } from '@portolan/plugin-api';

const STATUS_BY_CLASS: Readonly<Record<ErrorClass, number>> = {
  mistake: 400,
  absent: 404,
  conflict: 409,
  refused: 403,
  busy: 503,
  unavailable: 503,
  fault: 500,
};

/**
 * Classes of errors whose message clients may see. Messages of other classes may name hosts and files of the
 * server.
 */
const SHOWN: readonly ErrorClass[] = ['mistake', 'absent', 'conflict', 'refused', 'busy'];

const UNAVAILABLE = 'Something that the registry needs for this does not answer at the moment.';

/** Codes for errors of middleware that have only a status. */
const CODE_BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'ERR_BAD_REQUEST'],
  [401, 'ERR_AUTHENTICATION_REQUIRED'],
  [403, 'ERR_FORBIDDEN'],
  [404, 'ERR_NOT_FOUND'],
  [429, 'ERR_TOO_MANY_REQUESTS'],
]);

export interface HttpProblem {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly hint: string | undefined;
  /** Problems of a document, one by one. Undefined for other errors. */
  readonly issues?: unknown;
  /** Headers of the response, such as a challenge. */
  readonly headers: Readonly<Record<string, string>>;
  /** False for an unexpected error, which the log reports in full. */
  readonly foreseen: boolean;
}

/**
 * Uses the class or own status of an error with a code, keeps 4xx errors of Koa middleware, and turns every
 * other error into a 500 without details.
 */
export function toHttpProblem(error: unknown): HttpProblem {
  return (isPortolanError(error) ? problemOf(error) : undefined) ?? refusal(error) ?? UNFORESEEN;
}

/** Returns the response for an error with a code. Undefined for an internal error without a public text. */
function problemOf(error: PortolanError): HttpProblem | undefined {
  const errorClass = errorClassOf(error);
  const { code, publicMessage, retryAfterSeconds } = error;
  const isShown = SHOWN.includes(errorClass);
  if (errorClass === 'fault' && publicMessage === undefined) return undefined;
  return {
    status: answeredStatus(error) ?? STATUS_BY_CLASS[errorClass],
    code,
    error: publicMessage ?? (isShown ? error.message : UNAVAILABLE),
    hint: publicMessage === undefined && isShown ? error.hint : undefined,
    ...('issues' in error ? { issues: error.issues } : {}),
    headers: {
      ...headersOf(error),
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
    foreseen: true,
  };
}

function answeredStatus(error: PortolanError): number | undefined {
  // A failed `If-Match` or `If-None-Match` has its own status (RFC 9110, 15.5.13).
  if (error.code === 'ERR_REVISION_CHANGED') return 412;
  if (!('status' in error) || typeof error.status !== 'number' || !Number.isInteger(error.status))
    return undefined;
  return error.status >= 400 && error.status <= 599 ? error.status : undefined;
}

const UNFORESEEN: HttpProblem = {
  status: 500,
  code: 'ERR_INTERNAL',
  error: 'Internal error. The log of the server has the reason under this request ID.',
  hint: undefined,
  headers: {},
  foreseen: false,
};

/**
 * Returns the response for a 4xx error of middleware. Shows its text if the error allows that (`expose`, as
 * http-errors sets it).
 */
function refusal(error: unknown): HttpProblem | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  const { status } = error;
  if (!Number.isInteger(status) || status < 400 || status > 499) return undefined;
  const shown = 'expose' in error && error.expose === true;
  return {
    status,
    code: ownCode(error) ?? CODE_BY_STATUS.get(status) ?? 'ERR_REQUEST_REFUSED',
    error: shown ? error.message : 'The request was refused.',
    hint: shown && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined,
    headers: headersOf(error),
    foreseen: true,
  };
}

/** Returns the code of an error if it has the form of Portolan's codes. */
function ownCode(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^ERR_[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}

function headersOf(error: Error): Readonly<Record<string, string>> {
  if (!('headers' in error) || typeof error.headers !== 'object' || error.headers === null) return {};
  const entries = Object.entries(error.headers);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

import { isPortolanError } from '@portolan/plugin-api';

const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['ERR_PARAMETER_INVALID', 400],
  ['ERR_CURSOR_INVALID', 400],
  ['ERR_PATH_MALFORMED', 400],
  ['ERR_TARGET_MALFORMED', 400],
  ['ERR_HOST_MISSING', 400],
  ['ERR_HOST_REPEATED', 400],
  ['ERR_BODY_MALFORMED', 400],
  ['ERR_BODY_INVALID', 400],
  ['ERR_SOURCE_INVALID', 400],
  ['ERR_DOCUMENT_INVALID', 400],
  ['ERR_CLAIMS_REQUIRED', 400],
  ['ERR_KIND_CHANGED', 400],
  ['ERR_SOURCE_UNKNOWN', 400],
  ['ERR_SOURCE_NOT_MANAGED', 400],
  ['ERR_SOURCE_AMBIGUOUS', 400],
  ['ERR_STATUS_UNCHANGED', 400],
  ['ERR_STATUS_INVALID', 400],
  ['ERR_SOURCE_NOT_SYNCED', 409],
  ['ERR_TOO_MANY_VERSIONS', 409],
  ['ERR_AUTHENTICATION_REQUIRED', 401],
  ['ERR_REGISTRY_FORBIDDEN', 403],
  ['ERR_ROLE_MISSING', 403],
  ['ERR_CLAIMS_BEYOND_CALLER', 403],
  ['ERR_SOURCE_FORBIDDEN', 403],
  ['ERR_MADE_BY_FILE', 403],
  ['ERR_EXPLANATION_FORBIDDEN', 403],
  ['ERR_ROUTE_NOT_FOUND', 404],
  ['ERR_REGISTRY_NOT_FOUND', 404],
  ['ERR_ENTRY_NOT_FOUND', 404],
  ['ERR_SOURCE_NOT_FOUND', 404],
  ['ERR_METADATA_NOT_FOUND', 404],
  ['ERR_METRICS_DISABLED', 404],
  ['ERR_METHOD_NOT_ALLOWED', 405],
  ['ERR_BODY_TOO_SLOW', 408],
  ['ERR_SOURCE_IN_USE', 409],
  ['ERR_NO_MANAGED_SOURCE', 409],
  ['ERR_ENTRY_AMBIGUOUS', 409],
  ['ERR_CLAIMS_DIFFER', 409],
  ['ERR_VERSION_EXISTS', 409],
  ['ERR_REVISION_CHANGED', 412],
  ['ERR_BODY_TOO_LARGE', 413],
  ['ERR_BODY_NOT_JSON', 415],
  ['ERR_NOT_READY', 503],
  ['ERR_TOO_MANY_SCRAPES', 503],
  ['ERR_DATABASE_UNAVAILABLE', 503],
  ['ERR_STORE_BUSY', 503],
  ['ERR_PROVIDER_UNAVAILABLE', 503],
  ['ERR_DEADLINE_EXCEEDED', 504],
]);

/** Texts that replace a message which may name hosts and files of the server. */
const PUBLIC_TEXT: ReadonlyMap<string, string> = new Map([
  ['ERR_DATABASE_UNAVAILABLE', 'The registry cannot reach its database at the moment.'],
]);

/** Codes for what middleware of plugins refuses with a status of its own. */
const CODE_BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'ERR_BAD_REQUEST'],
  [401, 'ERR_AUTHENTICATION_REQUIRED'],
  [403, 'ERR_FORBIDDEN'],
  [404, 'ERR_NOT_FOUND'],
  [429, 'ERR_TOO_MANY_REQUESTS'],
]);

/** Headers of some refusals: when it is worth trying again, in seconds, or that nothing more is read. */
const HEADERS_BY_CODE: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['ERR_DATABASE_UNAVAILABLE', { 'Retry-After': '5' }],
  ['ERR_STORE_BUSY', { 'Retry-After': '2' }],
  ['ERR_PROVIDER_UNAVAILABLE', { 'Retry-After': '5' }],
  ['ERR_BODY_TOO_SLOW', { Connection: 'close' }],
]);

/** What the sender is told about an error. */
export interface HttpProblem {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly hint: string | undefined;
  /** What is wrong with a document, one by one; left out elsewhere. */
  readonly issues?: unknown;
  /** Headers that come with the refusal, such as a challenge. */
  readonly headers: Readonly<Record<string, string>>;
  /** False: nobody foresaw it, so that the log has to have it whole. */
  readonly foreseen: boolean;
}

/**
 * The answer to an error: known codes by the table above, refusals with a 4xx
 * status (as Koa middleware throws them) as they are, and everything else as a
 * 500 whose text gives nothing away.
 */
export function toHttpProblem(error: unknown): HttpProblem {
  const status = isPortolanError(error) ? STATUS_BY_CODE.get(error.code) : undefined;
  if (isPortolanError(error) && status !== undefined) {
    const text = PUBLIC_TEXT.get(error.code);
    const hint = text === undefined ? error.hint : undefined;
    const headers = HEADERS_BY_CODE.get(error.code) ?? {};
    const issues = 'issues' in error ? { issues: error.issues } : {};
    return {
      status,
      code: error.code,
      error: text ?? error.message,
      hint,
      ...issues,
      headers,
      foreseen: true,
    };
  }
  return refusal(error) ?? UNFORESEEN;
}

const UNFORESEEN: HttpProblem = {
  status: 500,
  code: 'ERR_INTERNAL',
  error: 'Something went wrong in the server; its log has the reason under this request id.',
  hint: undefined,
  headers: {},
  foreseen: false,
};

/** What middleware threw with a 4xx status and a text that may be shown (`expose`, as http-errors sets it). */
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

/** The code of whoever refused, where it looks like one of ours. */
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

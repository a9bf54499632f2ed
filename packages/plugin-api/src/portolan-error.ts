/**
 * Meaning of an error for the caller. The class decides the exit status and the HTTP status, for errors of
 * plugins too:
 *
 * | class | means | exit | HTTP |
 * |---|---|---|---|
 * | `mistake` | the input is unusable: command line, configuration or request | 2 | 400 |
 * | `absent` | the named resource does not exist | 1 | 404 |
 * | `conflict` | the request conflicts with the current state | 1 | 409 |
 * | `refused` | the caller lacks the permission | 1 | 403 |
 * | `busy` | possible, but not at the moment | 1 | 503 |
 * | `unavailable` | a dependency does not respond, or responds incorrectly | 1 | 503 |
 * | `fault` | a defect, or a state that only a person can repair | 1 | 500 |
 */
export const ERROR_CLASSES = [
  'mistake',
  'absent',
  'conflict',
  'refused',
  'busy',
  'unavailable',
  'fault',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

export interface PortolanErrorDetails {
  readonly hint?: string;
  readonly cause?: unknown;
  /**
   * Text for remote callers, in place of message and hint. Messages of `unavailable` and `fault` errors may
   * name hosts and files and are never sent.
   */
  readonly publicMessage?: string;
  /** Whole seconds after which the client may retry; `Retry-After` over HTTP. */
  readonly retryAfterSeconds?: number;
}

/**
 * Compare `code`, never the JavaScript class: with two installed copies of this package, `instanceof` fails.
 */
export class PortolanError extends Error {
  /** Upper case, begins with `ERR_` and is never reused. */
  readonly code: string;
  readonly class: ErrorClass;
  readonly hint: string | undefined;
  readonly publicMessage: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, errorClass: ErrorClass, message: string, details: PortolanErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'PortolanError';
    this.code = code;
    this.class = errorClass;
    this.hint = details.hint;
    this.publicMessage = details.publicMessage;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Accepts errors from any copy of this package. */
export function isPortolanError(value: unknown): value is PortolanError {
  return (
    value instanceof Error &&
    'code' in value &&
    typeof value.code === 'string' &&
    value.code.startsWith('ERR_') &&
    'hint' in value
  );
}

/** Returns `fault` for values without a class. */
export function errorClassOf(thrown: unknown): ErrorClass {
  if (!isPortolanError(thrown)) return 'fault';
  const { class: text } = thrown;
  return ERROR_CLASSES.includes(text) ? text : 'fault';
}

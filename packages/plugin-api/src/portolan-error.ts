export interface PortolanErrorDetails {
  /** What the reader can do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * An error that a person may see. Callers compare `code`, never the class: with
 * two copies of this package installed, `instanceof` lies.
 */
export class PortolanError extends Error {
  /** Stable, in capitals, beginning with `ERR_`; never used again for something else. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, details: PortolanErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'PortolanError';
    this.code = code;
    this.hint = details.hint;
  }
}

/** Whether a value is an error with a Portolan code, whichever copy of this package made it. */
export function isPortolanError(value: unknown): value is PortolanError {
  return (
    value instanceof Error &&
    'code' in value &&
    typeof value.code === 'string' &&
    value.code.startsWith('ERR_') &&
    'hint' in value
  );
}

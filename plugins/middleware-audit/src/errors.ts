import { type KindProblem, PortolanError } from '@portolan/plugin-api';

/** Creates the error for an audit file whose folder does not exist or is not a folder. */
export function folderMissing(folder: string, actual: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found ${actual} at "${folder}"; expected the folder for the audit log.`,
    {
      hint: 'Create the folder with permissions for only the user that runs Portolan, or correct `logFile`.',
      cause,
    },
  );
}

/**
 * Creates the error for a symbolic link at `logFile`, whose creator could choose the file that Portolan
 * writes to.
 */
export function fileIsLink(file: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found a symbolic link at "${file}"; expected a file or nothing.`,
    {
      hint: 'Set `logFile` to the file itself. For standard output, leave it out.',
      cause,
    },
  );
}

/** Creates the error for a folder, pipe, socket or block device at `logFile`. */
export function notAFile(file: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found ${actual} at "${file}"; expected a file or nothing.`,
    {
      hint: 'Set `logFile` to a regular file. To send lines to another program, leave it out and pipe the standard output.',
    },
  );
}

/** Returns the error for a file at `logFile` that contains something other than audit lines. */
export function notAnAuditLog(file: string): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found a file at "${file}" that is not an audit log; expected no file, or one that begins with an audit line.`,
    { hint: 'Set `logFile` to a separate file, or move the other file away.' },
  );
}

/** Creates the error for an audit file that the system refuses to open. */
export function fileUnopened(file: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `The audit log "${file}" cannot be opened (${reason}).`,
    {
      hint: 'Give the user that runs Portolan write access to the file and its folder.',
      cause,
    },
  );
}

/** Creates the error for rotation settings without a file, in a host that has not checked them. */
export function rotationInvalid({ place, found, expected }: KindProblem): PortolanError {
  return new PortolanError('ERR_AUDIT_FILE', 'fault', `In ${place}, found ${found}; expected ${expected}.`, {
    hint: 'Add the missing setting, or remove the one that needs it.',
  });
}

/** Creates the error for a call that is refused because no audit line can be written. */
export function unrecorded(): PortolanError & ResponseFields {
  const error = new PortolanError(
    'ERR_AUDIT_UNAVAILABLE',
    'unavailable',
    'The request cannot be recorded, so it is not served.',
    { hint: "Free disk space for the audit log of the workload. The workload's log has the reason." },
  );
  return Object.assign(error, { status: 503, headers: { 'Retry-After': '5' }, expose: true });
}

interface ResponseFields {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

import { type KindProblem, PortolanError } from '@portolan/plugin-api';

/** The folder that the audit file is to stand in is not there, or is no folder. */
export function folderMissing(folder: string, found: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found ${found} at "${folder}"; expected the folder for the audit log.`,
    {
      hint: 'Create the folder, for the user that runs Portolan alone, or correct `logFile`.',
      cause,
    },
  );
}

/** A symbolic link stands at `logFile`: whoever made it would choose which file Portolan writes to. */
export function fileIsLink(file: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found a symbolic link at "${file}"; expected a file or nothing.`,
    {
      hint: 'Let `logFile` name the file itself. For standard output, leave it out.',
      cause,
    },
  );
}

/** A folder, pipe, socket or block device stands at `logFile`. */
export function notAFile(file: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found ${found} at "${file}"; expected a file or nothing.`,
    {
      hint: 'Let `logFile` name a file. To hand lines to another program, leave it out and pipe the standard output.',
    },
  );
}

/** Returns the error for a file at `logFile` that holds something else than audit lines. */
export function notAnAuditLog(file: string): PortolanError {
  return new PortolanError(
    'ERR_AUDIT_FILE',
    'fault',
    `Found a file at "${file}" that is not an audit log; expected no file, or one that begins with an audit line.`,
    { hint: 'Let `logFile` name a file of its own, or move the other file away.' },
  );
}

/** The system refuses to open the audit file for appending. */
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

/** Settings of rotation without what they are about, in a host that has not checked them. */
export function rotationInvalid({ place, found, expected }: KindProblem): PortolanError {
  return new PortolanError('ERR_AUDIT_FILE', 'fault', `In ${place}, found ${found}; expected ${expected}.`, {
    hint: 'Set what is missing, or remove what is given without it.',
  });
}

/** A call is not made, since no line about it can be written. */
export function unrecorded(): PortolanError & Answer {
  const error = new PortolanError(
    'ERR_AUDIT_UNAVAILABLE',
    'unavailable',
    'The request cannot be recorded, and so it is not served.',
    { hint: 'Make room for the audit log of the workload; its log says what is wrong.' },
  );
  return Object.assign(error, { status: 503, headers: { 'Retry-After': '5' }, expose: true });
}

/** How an error is answered over HTTP. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

import { type KindProblem, PortolanError } from '@portolan/plugin-api';

// Messages here are shown in the status of a source, to everyone who may see it. They contain what the
// configuration contains, but no absolute path, host, query or credential.

/**
 * Creates the error for two of the three keys, or none. The kernel checks blocks, so that only code without
 * that check gets it.
 */
export function oneOfPathUrlData(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    'A file source needs exactly one of path, url and data.',
    { hint: 'Keep one of the three.' },
  );
}

/** Creates the error for an invalid or useless `timeout`, in a host that did not check it. */
export function timeoutInvalid({ found, expected }: Pick<KindProblem, 'found' | 'expected'>): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    `In timeout, found ${found}; expected ${expected}.`,
    { hint: 'Use a duration such as 30s together with url, or leave it out.' },
  );
}

/** Creates the error for a missing file, or a missing folder above it. */
export function fileMissing(shown: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_MISSING',
    'absent',
    `The catalogue file "${shown}" does not exist.`,
    {
      hint: 'Create it or correct `path`; a relative path starts at the folder of the configuration file.',
      cause,
    },
  );
}

/** Creates the error for a `path` that the system refuses to open or read. */
export function fileUnreadable(shown: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    `The catalogue file "${shown}" cannot be read (${reason}).`,
    { hint: 'Give the user that runs Portolan read access to the file and to the folders above it.', cause },
  );
}

/** Creates the error for a folder, device, pipe or socket at `path`. */
export function notAFile(shown: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    `Found ${actual} at "${shown}"; expected a file.`,
    { hint: 'Set `path` to the catalogue file itself.' },
  );
}

/** Creates the error for a file that was written between check and read, so that its version is unclear. */
export function fileChanged(shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_CHANGED',
    'unavailable',
    `The catalogue file "${shown}" changed while it was read.`,
    {
      hint: 'Wait: the file is read again once it stops changing. To replace a file atomically, write a new one next to it and rename it.',
    },
  );
}

/** Creates the error for a server that first confirmed the known document and then sent another one. */
export function urlChanged(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_CHANGED',
    'unavailable',
    'The document behind `url` changed while it was read.',
    { hint: 'Wait for the next sync, which reads it again.' },
  );
}

/** Creates the error for an invalid `url`. Does not show it, because it may contain a secret. */
export function urlInvalid(actual: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `Found ${actual} in \`url\`; expected an http or https address.`,
    { hint: 'Use a complete address, for example https://files.acme.example/catalogue.json.' },
  );
}

/** Creates the error for a refused or lost connection, or an invalid name or certificate. */
export function urlUnreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The download from \`url\` failed (${reason}).`,
    {
      hint: 'Check the address, and that this machine may connect to it. See the log for the complete cause.',
      cause,
    },
  );
}

/** Creates the error for a server that is too slow or silent. */
export function urlTimeout(timeoutMs: number, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The download from \`url\` was not complete after ${timeoutMs / 1000} s.`,
    { hint: 'Raise `timeout`, or find out why the server is slow.', cause },
  );
}

/** Creates the error for a response other than the document. */
export function urlStatus(status: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    `The server of \`url\` responded with status ${status}; expected 200.`,
    {
      hint:
        status === 401 || status === 403
          ? 'Check the credentials: https://user:password@host/… sends basic authentication.'
          : 'Check that the address leads to the catalogue itself.',
    },
  );
}

/** Creates the error for a 304 response to a request without validators. */
export function urlNotModified(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    'The server of `url` responded with status 304 to an unconditional request; expected 200.',
    { hint: 'Check the caches between this server and the other one.' },
  );
}

/** Creates the error for a redirect that a download must not follow. */
export function urlRedirect(how: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `\`url\` redirects ${how}, which is not followed.`,
    { hint: 'Set `url` to the final address of the catalogue.' },
  );
}

/** Creates the error for too many redirects. */
export function tooManyRedirects(most: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `\`url\` redirects more than ${most} times.`,
    { hint: 'Set `url` to the final address of the catalogue.' },
  );
}

/** Creates the error for a download that exceeds its limit. */
export function urlTooLarge(maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The document behind \`url\` is larger than ${maxBytes} bytes.`,
    { hint: 'Check that it is a catalogue; if so, split it into several sources.' },
  );
}

/** Creates the error for a folder of temporary files that is full, missing or read-only. */
export function spoolUnwritable(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    'The download cannot be stored in the folder for temporary files.',
    {
      hint: 'Set TMPDIR to a folder with enough space that the user that runs Portolan can write.',
      cause,
    },
  );
}

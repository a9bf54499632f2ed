import { type KindProblem, PortolanError } from '@portolan/plugin-api';

// Everyone who may see a source reads these messages in its status: they name
// what the configuration names, but no absolute path, host, query or credential.

/** Two of the three keys were given, or none. The kernel has checked the block, so that only code which skips it gets here. */
export function oneOfPathUrlData(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    'A file source needs exactly one of path, url and data.',
    { hint: 'Keep one of the three.' },
  );
}

/** `timeout` was given although nothing is downloaded, or is no time that a download can take; in a host that has not checked it. */
export function timeoutInvalid({ found, expected }: Pick<KindProblem, 'found' | 'expected'>): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    `In timeout, found ${found}; expected ${expected}.`,
    { hint: 'Write a duration such as 30s beside a url, or leave it out.' },
  );
}

/** Nothing stands at `path`, or a folder on the way to it is missing. */
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

/** Something stands at `path`, but the system refuses to open or read it. */
export function fileUnreadable(shown: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    `The catalogue file "${shown}" cannot be read (${reason}).`,
    { hint: 'Give the user that runs Portolan read access to the file and to the folders above it.', cause },
  );
}

/** A folder, device, pipe or socket stands at `path`. */
export function notAFile(shown: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    `Found ${found} at "${shown}"; expected a file.`,
    { hint: 'Let `path` name the catalogue file itself.' },
  );
}

/** The file was written between being looked at and being read, so that nobody can say which of the two this was. */
export function fileChanged(shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_CHANGED',
    'unavailable',
    `The catalogue file "${shown}" changed while it was read.`,
    { hint: 'It is read again when it rests. To replace a file in one go, write beside it and rename.' },
  );
}

/** The server first confirmed the known document and then sent another one. */
export function urlChanged(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_CHANGED',
    'unavailable',
    'The document behind `url` changed while it was read.',
    { hint: 'It is read again with the next sync.' },
  );
}

/** `url` cannot be requested. What stands there is not shown: it may hold a secret. */
export function urlInvalid(found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `Found ${found} in \`url\`; expected an http or https address.`,
    { hint: 'Write the whole address, for example https://files.acme.example/catalogue.json.' },
  );
}

/** The connection was refused, broke off, or the name or certificate of the server is not good. */
export function urlUnreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The download from \`url\` failed (${reason}).`,
    {
      hint: 'Check the address, and that this machine may connect to it. The log has the whole cause.',
      cause,
    },
  );
}

/** The server is too slow, or silent. */
export function urlTimeout(timeoutMs: number, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The download from \`url\` was not complete after ${timeoutMs / 1000} s.`,
    { hint: 'Give it more time with `timeout`, or see why the server is slow.', cause },
  );
}

/** The server answered with something else than the document. */
export function urlStatus(status: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    `\`url\` was answered with status ${status}; expected 200.`,
    {
      hint:
        status === 401 || status === 403
          ? 'The server wants other credentials: https://user:password@host/… sends basic authentication.'
          : 'Check that the address leads to the catalogue itself.',
    },
  );
}

/** The server confirmed a copy that nobody said to have. */
export function urlNotModified(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    '`url` was answered with status 304 although the whole document was asked for; expected 200.',
    { hint: 'See whether a cache between here and the server answers for it.' },
  );
}

/** The server sends to where a download may not go. */
export function urlRedirect(how: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `\`url\` redirects ${how}; that is not followed.`,
    { hint: 'Let `url` name the address at which the catalogue finally is.' },
  );
}

/** The server sends in a circle, or from place to place. */
export function tooManyRedirects(most: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `\`url\` redirects more than ${most} times.`,
    { hint: 'Let `url` name the address at which the catalogue finally is.' },
  );
}

/** The download was broken off at the limit. */
export function urlTooLarge(mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The document behind \`url\` is larger than ${mostBytes} bytes.`,
    { hint: 'Check that it is a catalogue; split it into several sources if it is.' },
  );
}

/** The folder for temporary files is full, missing or read-only. */
export function spoolUnwritable(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_FILE_UNREADABLE',
    'fault',
    'The download cannot be kept in the folder for temporary files.',
    {
      hint: 'Let TMPDIR name a folder that the user that runs Portolan can write to, with room for the document.',
      cause,
    },
  );
}

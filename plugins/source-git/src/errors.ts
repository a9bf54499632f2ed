import { type KindProblem, PortolanError } from '@portolan/plugin-api';

// Messages here are shown in the status of a source, to everyone who may see it. They contain what the
// configuration contains, but no host, absolute path or credential.

/**
 * Creates the error for an invalid configuration of a source. `@portolan/kernel` checks configurations first,
 * so only code that bypasses this check gets the error.
 */
export function configUnusable({ place, found, expected }: KindProblem): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `In ${place === '' ? 'the block' : place}, found ${found}; expected ${expected}.`,
    { hint: 'Correct it. `portolan config check` lists all problems.' },
  );
}

/** Creates the error for a `git` program that is missing or cannot be started. */
export function gitMissing(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_MISSING', 'fault', 'The program git cannot be started.', {
    hint: 'Install git 2.37 or newer in the `PATH` of this process.',
    cause,
  });
}

/** Creates the error for a `git` that is too old to connect only to a checked address. */
export function gitTooOld(version: string, least: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_MISSING',
    'fault',
    `Found git ${version}; expected ${least} or newer.`,
    { hint: 'Install a newer version.' },
  );
}

/** Creates the error for a failed or lost connection, or a temporarily unavailable server. */
export function unreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The repository cannot be reached (${reason}).`,
    {
      hint: 'Check the address, and that this machine may connect to it. See the log for the output of git.',
      cause,
    },
  );
}

/** Creates the error for a server that did not respond completely within `timeout`. */
export function timedOut(timeoutMs: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The server of the repository did not deliver it within ${timeoutMs / 1000} s.`,
    { hint: 'Raise `timeout`, or find out why the server is slow.' },
  );
}

/**
 * Creates the error for fetched files that git did not output within `timeout`: a small pack can contain any
 * number of files of any size.
 */
export function readTooLong(timeoutMs: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `git did not read the fetched repository within ${timeoutMs / 1000} s.`,
    { hint: 'Raise `timeout`, or select fewer large files with `path`.' },
  );
}

/** Creates the error for a server that requires other credentials, or denies these access. */
export function denied(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'The server of the repository refuses access.',
    { hint: 'Check `auth` or `ssh`, and their permission to read the repository.', cause },
  );
}

/** Creates the error for an unknown repository; some servers respond so instead of denying access. */
export function repositoryMissing(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'The repository does not exist, or these credentials may not see it.',
    { hint: 'Check `repository`, and `auth` or `ssh`.', cause },
  );
}

/** Creates the error for a missing branch, tag or commit. */
export function referenceMissing(shown: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_REFERENCE',
    'absent',
    `The repository has no ${shown}, or does not offer it.`,
    { hint: 'Correct `branch`, `tag` or `commit`; without any, the default branch is read.', cause },
  );
}

/** Creates the error for a tag of something else than a commit or folder. */
export function noCommit(shown: string): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_REFERENCE', 'absent', `The ${shown} does not point to a commit.`, {
    hint: 'Set `branch`, `tag` or `commit` to one.',
  });
}

/** Creates the error for a `path` that is missing in the commit. */
export function pathMissing(path: string, shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `There is no "${path}" in the ${shown} of the repository.`,
    { hint: 'Correct `path`, or add it to the repository.' },
  );
}

/** Creates the error for a symbolic link or submodule at `path`, or above it. */
export function pathRefused(path: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `"${path}" of the repository is ${what}, which is not followed.`,
    { hint: 'Set `path` to a file or a folder of the repository itself.' },
  );
}

/** Creates the error for a refused redirect. */
export function redirected(how: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `The server of the repository redirects ${how}, which is not followed.`,
    { hint: 'Set `repository` to its final address.' },
  );
}

/** Creates the error for a fetch that exceeds a limit. */
export function tooLarge(what: string): PortolanError {
  return new PortolanError('ERR_SOURCE_TOO_LARGE', 'unavailable', `The repository has more than ${what}.`, {
    hint: 'Raise `maxBytes` or `maxObjects` (and `scratch.maxBytes`), or keep the catalogue in a smaller repository.',
  });
}

/**
 * Creates the error for a file in the block, such as that of the password, that is unreadable or has no
 * usable content.
 */
export function fileUnusable(place: string, actual: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_CREDENTIAL_FILE', 'fault', `The file of \`${place}\` ${actual}.`, {
    hint: 'Provide a file that the user that runs Portolan can read.',
    cause,
  });
}

/** Creates the error for a server certificate of another name or an untrusted authority. */
export function certificateRefused(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNTRUSTED',
    'unavailable',
    'The certificate of the server is not trusted.',
    { hint: 'Set `caCertPath` to the certificate of a custom authority.', cause },
  );
}

/** Creates the error for a host key that `ssh.knownHostsFile` lacks or contradicts. */
export function hostKeyRefused(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNTRUSTED',
    'unavailable',
    'The host key differs from that in `ssh.knownHostsFile`.',
    {
      hint: 'Find out why it changed. If the new key is right, write the output of `ssh-keyscan` to the file.',
      cause,
    },
  );
}

/** Creates the error for an unrecognized failure of git. */
export function gitFailed(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_FAILED', 'unavailable', 'git could not read the repository.', {
    hint: 'See the log for the output of git.',
    cause,
  });
}

/** Creates the error for a damaged cached repository, which was removed. */
export function cacheDamaged(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_CACHE',
    'unavailable',
    'The cached repository was damaged, and was removed.',
    { hint: 'Wait for the next sync, which fetches it again.', cause },
  );
}

/** Creates the error for a scratch folder whose path ssh would misread. */
export function scratchUnusable(): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNUSABLE',
    'fault',
    "The path of the source's scratch folder has a character that ssh interprets.",
    { hint: 'Set `scratch.directory` to a path without quotes, backslashes, % and $.' },
  );
}

/** Creates the error for a full disk during a fetch. */
export function scratchFull(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_DISK_FULL',
    'unavailable',
    'There is not enough disk space for the repository.',
    { hint: 'Free space on the disk of `scratch.directory`, or move it to a larger disk.', cause },
  );
}

/** Creates the error for a folder or pattern in `path` without any file, which counts as a mistake. */
export function pathEmpty(path: string, shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `No file in the ${shown} of the repository matches "${path}".`,
    { hint: 'Correct `path`; a folder includes the .json files below it. The last good entries stay.' },
  );
}

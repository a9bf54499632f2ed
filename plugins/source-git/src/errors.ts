import { type KindProblem, PortolanError } from '@portolan/plugin-api';

// Everyone who may see a source reads these messages in its status: they name what the configuration names,
// but no host, absolute path or credential.

/**
 * Creates the error for an unusable block. The kernel checks blocks, so that only code without that check
 * gets it.
 */
export function configUnusable({ place, found, expected }: KindProblem): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `In ${place === '' ? 'the block' : place}, found ${found}; expected ${expected}.`,
    { hint: 'Correct it; `portolan config check` says all that is wrong.' },
  );
}

/** Creates the error for a `git` program that is missing or cannot be started. */
export function gitMissing(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_MISSING', 'fault', 'The program git cannot be started.', {
    hint: 'Install git 2.37 or newer where the `PATH` of this process leads.',
    cause,
  });
}

/** Creates the error for a `git` that is too old to connect only to a checked address. */
export function gitTooOld(version: string, least: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_MISSING',
    'fault',
    `Found git ${version}; expected ${least} or newer.`,
    { hint: 'Install a newer one.' },
  );
}

/** Creates the error for a failed or lost connection, or a temporarily unavailable server. */
export function unreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The repository cannot be reached (${reason}).`,
    { hint: 'Check the address, and that this machine may connect to it. The log has what git says.', cause },
  );
}

/** Creates the error for a server that did not respond completely within `timeout`. */
export function timedOut(timeoutMs: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The repository was not read after ${timeoutMs / 1000} s of asking its server.`,
    { hint: 'Give it more time with `timeout`, or see why the server is slow.' },
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
    `git needs more than ${timeoutMs / 1000} s to read what was fetched of the repository.`,
    { hint: 'Give it more time with `timeout`, or leave what is large out of `path`.' },
  );
}

/** Creates the error for a server that requires other credentials, or denies these access. */
export function denied(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'The server of the repository refuses access.',
    { hint: 'Check `auth` or `ssh`, and that they may read the repository.', cause },
  );
}

/** Creates the error for an unknown repository; some servers respond so instead of denying access. */
export function repositoryMissing(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'There is no such repository, or these credentials may not see it.',
    { hint: 'Check `repository`, and `auth` or `ssh`.', cause },
  );
}

/** Creates the error for a missing branch, tag or commit. */
export function referenceMissing(shown: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_REFERENCE',
    'absent',
    `The repository has no ${shown}, or does not give it out.`,
    { hint: 'Correct `branch`, `tag` or `commit`; without any, the default branch is read.', cause },
  );
}

/** Creates the error for a tag of something else than a commit or folder. */
export function noCommit(shown: string): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_REFERENCE', 'absent', `The ${shown} leads to no commit.`, {
    hint: 'Let `branch`, `tag` or `commit` name one.',
  });
}

/** Creates the error for a `path` that is missing in the commit. */
export function pathMissing(path: string, shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `There is no "${path}" in the ${shown} of the repository.`,
    { hint: 'Correct `path`, or add what it names to the repository.' },
  );
}

/** Creates the error for a symbolic link or submodule at `path`, or above it. */
export function pathRefused(path: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `"${path}" of the repository is ${what}, which is not followed.`,
    { hint: 'Let `path` name a file or a folder of the repository itself.' },
  );
}

/** Creates the error for a refused redirect. */
export function redirected(how: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `The server of the repository redirects ${how}; that is not followed.`,
    { hint: 'Let `repository` name the address at which it finally is.' },
  );
}

/** Creates the error for a fetch that exceeds a limit. */
export function tooLarge(what: string): PortolanError {
  return new PortolanError('ERR_SOURCE_TOO_LARGE', 'unavailable', `The repository holds more than ${what}.`, {
    hint: 'Raise `maxBytes` or `maxObjects` (and `scratch.maxBytes`), or keep the catalogue in a smaller repository.',
  });
}

/**
 * Creates the error for a file in the block, such as that of the password, that is unreadable or has no
 * usable content.
 */
export function fileUnusable(place: string, found: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_CREDENTIAL_FILE', 'fault', `The file of \`${place}\` ${found}.`, {
    hint: 'Give the user that runs Portolan a readable file there.',
    cause,
  });
}

/** Creates the error for a server certificate of another name or an untrusted authority. */
export function certificateRefused(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNTRUSTED',
    'unavailable',
    'The certificate of the server cannot be trusted.',
    { hint: 'Where its authority is your own, name its certificate in `caCertPath`.', cause },
  );
}

/** Creates the error for a host key that `ssh.knownHostsFile` lacks or contradicts. */
export function hostKeyRefused(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNTRUSTED',
    'unavailable',
    'The key of the host is not the one in `ssh.knownHostsFile`.',
    { hint: 'Find out why; if it is right, write what `ssh-keyscan` says into the file.', cause },
  );
}

/** Creates the error for an unrecognized failure of git. */
export function gitFailed(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_FAILED', 'unavailable', 'git could not read the repository.', {
    hint: 'The log has what it says.',
    cause,
  });
}

/** Creates the error for a damaged cached repository, which was removed. */
export function cacheDamaged(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_CACHE',
    'unavailable',
    'What was kept of the repository was damaged, and was removed.',
    { hint: 'Nothing: it is fetched anew with the next sync.', cause },
  );
}

/** Creates the error for a scratch folder whose path ssh would misread. */
export function scratchUnusable(): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNUSABLE',
    'fault',
    'The scratch folder of the source lies at a path with a character that ssh reads otherwise.',
    { hint: 'Let `scratch.directory` be a path without quotes, backslashes, % and $.' },
  );
}

/** Creates the error for a full disk during a fetch. */
export function scratchFull(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_DISK_FULL',
    'unavailable',
    'There is no room for what is fetched of the repository.',
    { hint: 'Make room where `scratch.directory` is, or move it to a larger disk.', cause },
  );
}

/** Creates the error for a folder or pattern in `path` without any file, which counts as a mistake. */
export function pathEmpty(path: string, shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `No file in the ${shown} of the repository is one of "${path}".`,
    { hint: 'Correct `path`: a folder stands for the .json files below it. The last good entries stay.' },
  );
}

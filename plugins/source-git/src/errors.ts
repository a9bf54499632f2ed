import { type KindProblem, PortolanError } from '@portolan/plugin-api';

// Everyone who may see a source reads these messages in its status: they name
// what the configuration names, but no host, absolute path or credential.

/** The block cannot be used. The kernel has checked it, so that only code which skips that gets here. */
export function configUnusable({ place, found, expected }: KindProblem): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `In ${place === '' ? 'the block' : place}, found ${found}; expected ${expected}.`,
    { hint: 'Correct it; `portolan config check` says all that is wrong.' },
  );
}

/** The program `git` is not in the search path of this process, or cannot be started. */
export function gitMissing(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_MISSING', 'fault', 'The program git cannot be started.', {
    hint: 'Install git 2.37 or newer where the `PATH` of this process leads.',
    cause,
  });
}

/** The program `git` is too old to be held to an address that was checked. */
export function gitTooOld(version: string, least: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_MISSING',
    'fault',
    `Found git ${version}; expected ${least} or newer.`,
    { hint: 'Install a newer one.' },
  );
}

/** No connection to the server came about, it broke, or the server answered that it cannot serve now. */
export function unreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The repository cannot be reached (${reason}).`,
    { hint: 'Check the address, and that this machine may connect to it. The log has what git says.', cause },
  );
}

/** The server did not answer, or not all of it came, within `timeout`. */
export function timedOut(timeoutMs: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The repository was not read after ${timeoutMs / 1000} s of asking its server.`,
    { hint: 'Give it more time with `timeout`, or see why the server is slow.' },
  );
}

/** git has not handed out within `timeout` what was fetched: a few bytes of a pack can be any number of files, of any size. */
export function readTooLong(timeoutMs: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `git needs more than ${timeoutMs / 1000} s to read what was fetched of the repository.`,
    { hint: 'Give it more time with `timeout`, or leave what is large out of `path`.' },
  );
}

/** The server wants other credentials, or gives nothing to these. */
export function denied(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'The server of the repository refuses access.',
    { hint: 'Check `auth` or `ssh`, and that they may read the repository.', cause },
  );
}

/** The server knows no such repository; some say so instead of that access is refused. */
export function repositoryMissing(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'There is no such repository, or these credentials may not see it.',
    { hint: 'Check `repository`, and `auth` or `ssh`.', cause },
  );
}

/** The branch, the tag or the commit is not there, or not any more. */
export function referenceMissing(shown: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_REFERENCE',
    'absent',
    `The repository has no ${shown}, or does not give it out.`,
    { hint: 'Correct `branch`, `tag` or `commit`; without any, the default branch is read.', cause },
  );
}

/** A tag may name anything; this one names no commit and no folder. */
export function noCommit(shown: string): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_REFERENCE', 'absent', `The ${shown} leads to no commit.`, {
    hint: 'Let `branch`, `tag` or `commit` name one.',
  });
}

/** Nothing stands at `path` in the commit that is read. */
export function pathMissing(path: string, shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `There is no "${path}" in the ${shown} of the repository.`,
    { hint: 'Correct `path`, or add what it names to the repository.' },
  );
}

/** A symbolic link or another repository stands at `path`, or on the way to it. */
export function pathRefused(path: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `"${path}" of the repository is ${what}, which is not followed.`,
    { hint: 'Let `path` name a file or a folder of the repository itself.' },
  );
}

/** The server sends to where it is not followed. */
export function redirected(how: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `The server of the repository redirects ${how}; that is not followed.`,
    { hint: 'Let `repository` name the address at which it finally is.' },
  );
}

/** The fetch was broken off at a limit. */
export function tooLarge(what: string): PortolanError {
  return new PortolanError('ERR_SOURCE_TOO_LARGE', 'unavailable', `The repository holds more than ${what}.`, {
    hint: 'Raise `maxBytes` or `maxObjects` (and `scratch.maxBytes`), or keep the catalogue in a smaller repository.',
  });
}

/** A file that the block names, such as that of the password, cannot be read or holds nothing of use. */
export function fileUnusable(place: string, found: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_CREDENTIAL_FILE', 'fault', `The file of \`${place}\` ${found}.`, {
    hint: 'Give the user that runs Portolan a readable file there.',
    cause,
  });
}

/** The certificate of the server is not one of its name, or of nobody who is trusted. */
export function certificateRefused(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNTRUSTED',
    'unavailable',
    'The certificate of the server cannot be trusted.',
    { hint: 'Where its authority is your own, name its certificate in `caCertPath`.', cause },
  );
}

/** The host has another key than `ssh.knownHostsFile` says, or none there. */
export function hostKeyRefused(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNTRUSTED',
    'unavailable',
    'The key of the host is not the one in `ssh.knownHostsFile`.',
    { hint: 'Find out why; if it is right, write what `ssh-keyscan` says into the file.', cause },
  );
}

/** git failed in a way that has no name here. */
export function gitFailed(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_GIT_FAILED', 'unavailable', 'git could not read the repository.', {
    hint: 'The log has what it says.',
    cause,
  });
}

/** What was kept of the repository is damaged. It is gone now. */
export function cacheDamaged(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_CACHE',
    'unavailable',
    'What was kept of the repository was damaged, and was removed.',
    { hint: 'Nothing: it is fetched anew with the next sync.', cause },
  );
}

/** The scratch folder lies at a path that ssh would take for something else. */
export function scratchUnusable(): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNUSABLE',
    'fault',
    'The scratch folder of the source lies at a path with a character that ssh reads otherwise.',
    { hint: 'Let `scratch.directory` be a path without quotes, backslashes, % and $.' },
  );
}

/** The disk has no room for what is fetched. */
export function scratchFull(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_DISK_FULL',
    'unavailable',
    'There is no room for what is fetched of the repository.',
    { hint: 'Make room where `scratch.directory` is, or move it to a larger disk.', cause },
  );
}

/** No file is what the folder or the pattern in `path` stands for: all of them gone is held for a mistake. */
export function pathEmpty(path: string, shown: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_GIT_PATH',
    'absent',
    `No file in the ${shown} of the repository is one of "${path}".`,
    { hint: 'Correct `path`: a folder stands for the .json files below it. The last good entries stay.' },
  );
}

import { PortolanError } from '@portolan/plugin-api';
import { quote, textOf } from '@portolan/run-spec';

/**
 * Creates the error for a host on which this machine cannot listen: it has no address, or the address of
 * another machine.
 */
export function hostNotHere(host: string, cause: unknown): PortolanError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const fault =
    code === 'EADDRNOTAVAIL' ? 'it is not an address of this machine' : 'the name does not resolve';
  return new PortolanError('ERR_HOST', 'mistake', `--host: cannot listen at ${quote(host)}: ${fault}.`, {
    hint: 'Name an address of this machine: 127.0.0.1, ::1, or 0.0.0.0 for all of them.',
    cause,
  });
}

export function fileUnreadable(what: string, file: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_NAMED_FILE',
    'mistake',
    `Cannot read the ${what} ${file}: ${textOf(cause)}.`,
    {
      hint: 'Name an existing file that you can read.',
      cause,
    },
  );
}

export function portTaken(port: number, cause?: unknown): PortolanError {
  return new PortolanError('ERR_PORT_TAKEN', 'conflict', `requested proxy port ${port} is not available`, {
    hint: 'Choose another port with --proxy-port, or stop the program that listens there.',
    cause,
  });
}

export function noFreePort(from: number, to: number): PortolanError {
  return new PortolanError('ERR_NO_FREE_PORT', 'busy', `No port from ${from} to ${to} is free.`, {
    hint: 'Stop workloads that are not needed, or name a port with --proxy-port.',
  });
}

/** Creates the error for a damaged state file, which stays unchanged. */
export function stateDamaged(file: string, fault: string): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} is damaged: ${fault}.`, {
    hint: 'Run `portolan doctor --fix`, which renames the damaged file, or remove the workload with `portolan rm`.',
  });
}

/** Creates the error for a state file that a newer version of Portolan wrote. The file stays unchanged. */
export function stateNewer(file: string, actual: number, known: number): PortolanError {
  return new PortolanError(
    'ERR_STATE_NEWER',
    'conflict',
    `${file} has format ${actual}; this version of Portolan knows formats up to ${known}.`,
    { hint: 'Use the version of Portolan that wrote it, or a newer one.' },
  );
}

/**
 * Creates the error for a file that is not the expected state file, such as the state of another workload.
 * The file stays unchanged.
 */
export function stateForeign(file: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_STATE_FOREIGN',
    'conflict',
    `${file} is not the state file of this workload: found ${actual}.`,
    {
      hint: 'Move the file to another folder; Portolan did not change it.',
    },
  );
}

/**
 * Creates the error for a state file that cannot be read or written, because of permissions, a full disk, or
 * a folder in its place.
 */
export function stateInaccessible(file: string, doing: 'read' | 'write', cause: unknown): PortolanError {
  return new PortolanError('ERR_STATE_INACCESSIBLE', 'fault', `Cannot ${doing} ${file}: ${textOf(cause)}.`, {
    hint: 'Check the free space and the permissions of the folder. Existing data is unchanged.',
    cause,
  });
}

export function outputNoFile(file: string): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `Cannot write ${file}: it is a folder or a device.`, {
    hint: 'Name a file, or redirect standard output in the shell.',
  });
}

/** Creates the error for a lock that another process holds longer than the timeout. */
export function stateBusy(what: string, holder: string, waitedMs: number): PortolanError {
  return new PortolanError(
    'ERR_STATE_BUSY',
    'busy',
    `${what} is being changed by ${holder}; waited ${Math.round(waitedMs / 1000)} s.`,
    { hint: 'Wait for the other command to end, or stop it, and try again.' },
  );
}

export function workloadExists(name: string): PortolanError {
  return new PortolanError('ERR_WORKLOAD_EXISTS', 'conflict', `workload with name '${name}' already exists`, {
    hint: 'Choose another --name (with --from-config: another `name` in the file), remove it with `portolan rm`, or run again with --replace. To change some of its settings, use `portolan change`.',
  });
}

export function workloadUnknown(name: string, suggestions: readonly string[] = []): PortolanError {
  return new PortolanError('ERR_WORKLOAD_UNKNOWN', 'absent', `There is no workload named ${quote(name)}.`, {
    hint:
      suggestions.length === 0
        ? 'See `portolan list --all` for the names.'
        : `Did you mean ${suggestions.join(', or ')}? See \`portolan list --all\` for the names.`,
  });
}

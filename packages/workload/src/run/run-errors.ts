import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { quote, textOf } from '@portolan/run-spec';
import type { OutputCause } from './explain-output.ts';
import { ForwardedError } from '../forwarded-error.ts';

/** A workload did not come up; the error shows the last output of its server, and its cause where the output says so. */
export function workloadFailed(
  failure: Pick<PortolanError, 'code' | 'class' | 'message' | 'hint'>,
  lastLines: readonly string[],
  {
    exitStatus,
    cause,
  }: { readonly exitStatus?: number | undefined; readonly cause?: OutputCause | undefined } = {},
): PortolanError {
  const output =
    lastLines.length === 0
      ? ''
      : `\nThe container wrote last:\n${lastLines.map((line) => `  ${line}`).join('\n')}`;
  const hint = cause?.hint ?? failure.hint;
  const because = cause === undefined ? '' : `\n${cause.cause}`;
  return new ForwardedError(failure, `${failure.message}${because}${output}`, {
    ...(hint === undefined ? {} : { hint }),
    exitStatus,
  });
}

/** The new workload failed after the earlier one had made room. */
export function replacementFailed(name: string, isKept: boolean, cause: unknown): PortolanError {
  const failure = cause instanceof Error ? cause.message : String(cause);
  const exitStatus = cause instanceof ForwardedError ? cause.exitStatus : undefined;
  const earlier = isKept
    ? `The workload that was called ${name} before is stopped now.`
    : `The workload that was called ${name} before could not be kept, and is removed.`;
  return new ForwardedError(codedError(cause), `${failure}\n${earlier}`, {
    hint: isKept
      ? `Start the earlier one again with \`portolan start ${name}\`.`
      : 'Correct what has failed, and run it again.',
    cause,
    exitStatus,
  });
}

/** A workload would be replaced by one with less protection. The error carries what is lost, for programs. */
export function protectionsLost(
  name: string,
  lost: readonly string[],
): PortolanError & { readonly lost: readonly string[] } {
  const lines = lost.map((one) => `\n  ${one}`).join('');
  const error = new PortolanError(
    'ERR_PROTECTION_LOST',
    'mistake',
    `${name} would lose protection, since a run takes no setting from the workload that it replaces:${lines}`,
    {
      hint: `To change some settings and keep the others, use \`portolan change ${name} FLAGS\`. To replace all of them, add --yes.`,
    },
  );
  return Object.assign(error, { lost });
}

/** Another command changed a workload between the reading of its settings and the restart with changed ones. */
export function workloadChanged(name: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_CHANGED',
    'conflict',
    `Another command has changed ${name} in the meantime; nothing was changed here.`,
    { hint: 'Look at its settings with `portolan inspect`, and run the command again.' },
  );
}

/** What was thrown; what the system throws gets a code of ours. */
export function codedError(cause: unknown): PortolanError {
  if (isPortolanError(cause)) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_OPERATION_FAILED', 'fault', message, {
    hint: 'Run the command again with --debug to see where it comes from.',
    cause,
  });
}

/** A workload stays in its group. */
export function groupMoved(name: string, group: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${name} is in the group ${quote(group)}; a run does not move it to another.`,
    { hint: `Give --group '${group}', or remove the workload first with \`portolan rm ${name}\`.` },
  );
}

/** An operation does not know for which workloads it is. */
export function workloadsNotNamed(): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', 'mistake', 'No workload is named.', {
    hint: 'Name one or more, or use --all or --group; `portolan list --all` shows the names.',
  });
}

/** A workload is not what the format is for. */
export function notExportable(name: string, because: string): PortolanError {
  return new PortolanError(
    'ERR_NOT_EXPORTABLE',
    'mistake',
    `${name} cannot be exported as k8s: ${because}.`,
    { hint: 'Export it as JSON: --format json.' },
  );
}

/** The supervisor does not end, though it was killed. */
export function supervisorStays(name: string, pid: number): PortolanError {
  return new PortolanError(
    'ERR_OPERATION_FAILED',
    'fault',
    `The supervisor of ${name} (process ${pid}) does not end.`,
    { hint: `It belongs to another user, or hangs in the system: end process ${pid}, and try again.` },
  );
}

/** An operation took longer than it may. */
export function operationTooLong(what: string, name: string, limitMs: number): PortolanError {
  return new PortolanError(
    'ERR_OPERATION_TIMEOUT',
    'unavailable',
    `${what} ${name} took longer than ${Math.round(limitMs / 1000)} s and was given up.`,
    { hint: 'See `portolan logs --proxy` and `portolan doctor`, and try again.' },
  );
}

/** A workload is in no state to be started from. */
export function notStartable(name: string, faults: readonly string[]): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${name} cannot be started: ${faults.join('; ')}.`, {
    hint: `Run it again with \`portolan run … --name ${name} --replace\`, or remove it with \`portolan rm ${name}\`.`,
  });
}

/** A file of variables, or a folder of such files, cannot be read. */
export function environmentFileUnreadable(file: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_ENVIRONMENT_FILE', 'mistake', `Cannot read ${file}: ${textOf(cause)}.`, {
    hint: 'Name a file of KEY=VALUE lines that you may read.',
    cause,
  });
}

/** The folder of --env-file-dir is missing, or cannot be read. */
export function environmentFolderUnreadable(folder: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_ENVIRONMENT_FILE', 'mistake', `Cannot read ${folder}: ${textOf(cause)}.`, {
    hint: 'Name a folder that exists and that you may read; its files have KEY=VALUE lines.',
    cause,
  });
}

/** Required inputs of a registry entry have no value, and nobody can be asked. */
export function missingInputs(names: readonly string[]): PortolanError {
  const what = names.length === 1 ? 'environment variable' : 'environment variables';
  return new PortolanError('ERR_INPUTS_MISSING', 'mistake', `missing required ${what}: ${names.join(', ')}`, {
    hint: 'Give each with -e NAME=VALUE or --secret SECRET,target=NAME, or run the command on a terminal.',
  });
}

/** Required headers of a remote entry have no value, and nobody can be asked. */
export function missingHeaders(headers: readonly string[]): PortolanError {
  const what = headers.length === 1 ? 'header' : 'headers';
  return new PortolanError(
    'ERR_INPUTS_MISSING',
    'mistake',
    `missing required ${what}: ${headers.join(', ')}`,
    {
      hint: 'Give each with --remote-forward-headers NAME=VALUE or --remote-forward-headers-secret NAME=SECRET, or run the command on a terminal.',
    },
  );
}

/** Both are missing. */
export function missingInputsAndHeaders(names: readonly string[], headers: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_INPUTS_MISSING',
    'mistake',
    `${missingInputs(names).message}; ${missingHeaders(headers).message}`,
    {
      hint: 'Give variables with -e NAME=VALUE or --secret SECRET,target=NAME, headers with --remote-forward-headers NAME=VALUE or --remote-forward-headers-secret NAME=SECRET, or run the command on a terminal.',
    },
  );
}

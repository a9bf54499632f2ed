import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { quote, textOf } from '@portolan/run-spec';
import type { OutputCause } from './explain-output.ts';
import { ForwardedError } from '../forwarded-error.ts';

/** Creates the error for a workload that failed to start, with the last output of its server. */
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
      : `\nLast output of the container:\n${lastLines.map((line) => `  ${line}`).join('\n')}`;
  const hint = cause?.hint ?? failure.hint;
  const because = cause === undefined ? '' : `\n${cause.cause}`;
  return new ForwardedError(failure, `${failure.message}${because}${output}`, {
    ...(hint === undefined ? {} : { hint }),
    exitStatus,
  });
}

/** Creates the error for a new workload that failed after the earlier one was stopped. */
export function replacementFailed(name: string, isKept: boolean, cause: unknown): PortolanError {
  const failure = cause instanceof Error ? cause.message : String(cause);
  const exitStatus = cause instanceof ForwardedError ? cause.exitStatus : undefined;
  const earlier = isKept
    ? `The earlier workload ${name} is stopped.`
    : `The earlier workload ${name} could not be kept and was removed.`;
  return new ForwardedError(codedError(cause), `${failure}\n${earlier}`, {
    hint: isKept
      ? `Start the earlier one again with \`portolan start ${name}\`.`
      : 'Fix the cause of the failure, and run the command again.',
    cause,
    exitStatus,
  });
}

/** Creates the error for a replacement with less protection. */
export function protectionsLost(
  name: string,
  lost: readonly string[],
): PortolanError & { readonly lost: readonly string[] } {
  const lines = lost.map((one) => `\n  ${one}`).join('');
  const error = new PortolanError(
    'ERR_PROTECTION_LOST',
    'mistake',
    `${name} would lose protections, because a run does not keep settings of the workload that it replaces:${lines}`,
    {
      hint: `To change some settings and keep the others, use \`portolan change ${name} FLAGS\`. To replace all of them, add --yes.`,
    },
  );
  return Object.assign(error, { lost });
}

/** Creates the error for a conflict with a concurrent change of the workload. */
export function workloadChanged(name: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_CHANGED',
    'conflict',
    `Another command has changed ${name} in the meantime; this command changed nothing.`,
    { hint: 'Check its settings with `portolan inspect`, and run the command again.' },
  );
}

/** Creates the error for a failure without an error code, such as a system error. Returns a PortolanError unchanged. */
export function codedError(cause: unknown): PortolanError {
  if (isPortolanError(cause)) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_OPERATION_FAILED', 'fault', message, {
    hint: 'Run the command again with --debug to see the cause.',
    cause,
  });
}

export function groupMoved(name: string, group: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${name} is in the group ${quote(group)}; a run does not move it to another.`,
    { hint: `Give --group '${group}', or remove the workload first with \`portolan rm ${name}\`.` },
  );
}

export function workloadsNotNamed(): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', 'mistake', 'No workload is named.', {
    hint: 'Name one or more, or use --all or --group; `portolan list --all` shows the names.',
  });
}

export function notExportable(name: string, because: string): PortolanError {
  return new PortolanError(
    'ERR_NOT_EXPORTABLE',
    'mistake',
    `${name} cannot be exported as k8s: ${because}.`,
    { hint: 'Export it as JSON: --format json.' },
  );
}

/** Creates the error for a supervisor that still runs after SIGKILL. */
export function supervisorStays(name: string, pid: number): PortolanError {
  return new PortolanError(
    'ERR_OPERATION_FAILED',
    'fault',
    `The supervisor of ${name} (process ${pid}) still runs after SIGKILL.`,
    { hint: `It belongs to another user or hangs in the kernel. End process ${pid}, and try again.` },
  );
}

export function operationTooLong(what: string, name: string, limitMs: number): PortolanError {
  return new PortolanError(
    'ERR_OPERATION_TIMEOUT',
    'unavailable',
    `${what} ${name} took longer than ${Math.round(limitMs / 1000)} s and was cancelled.`,
    { hint: 'See `portolan logs --proxy` and `portolan doctor`, and try again.' },
  );
}

export function notStartable(name: string, faults: readonly string[]): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${name} cannot be started: ${faults.join('; ')}.`, {
    hint: `Run it again with \`portolan run … --name ${name} --replace\`, or remove it with \`portolan rm ${name}\`.`,
  });
}

/** Creates the error for an unreadable file of variables, or folder of such files. */
export function environmentFileUnreadable(file: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_ENVIRONMENT_FILE', 'mistake', `Cannot read ${file}: ${textOf(cause)}.`, {
    hint: 'Name a readable file of KEY=VALUE lines.',
    cause,
  });
}

export function environmentFolderUnreadable(folder: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_ENVIRONMENT_FILE', 'mistake', `Cannot read ${folder}: ${textOf(cause)}.`, {
    hint: 'Name a readable folder of files with KEY=VALUE lines.',
    cause,
  });
}

/** Creates the error for required inputs without a value when there is no terminal to ask on. */
export function missingInputs(names: readonly string[]): PortolanError {
  const what = names.length === 1 ? 'environment variable' : 'environment variables';
  return new PortolanError('ERR_INPUTS_MISSING', 'mistake', `missing required ${what}: ${names.join(', ')}`, {
    hint: 'Give each with -e NAME=VALUE or --secret SECRET,target=NAME, or run the command on a terminal.',
  });
}

/** Creates the error for required headers without a value when there is no terminal to ask on. */
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

/** Creates the error for required inputs and headers without a value. */
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

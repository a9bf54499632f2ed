import { badArgument } from '../../terminal/terminal-errors.ts';
import { boolean, duration, image } from './flag-types.ts';

const START = { helpGroup: 'START' };

export const foregroundFlag = boolean({
  ...START,
  char: 'f',
  description: 'run in the foreground until the container exits; exit with its status',
  fallback: 'false',
});

export const detachEarlyFlag = boolean({
  ...START,
  description: 'return once the supervisor runs, without waiting until the server is ready',
  fallback: 'false',
});

export const startTimeoutFlag = duration({
  ...START,
  description: 'timeout for the first response of the server after the start of its container',
  fallback: '60s',
});

export const trustFlag = boolean({
  ...START,
  description:
    'allow what the registry entry or the file asks for, and print it; refused settings stay refused',
  fallback: 'false',
});

export const replaceFlag = boolean({
  ...START,
  description: 'stop and remove a workload of the same name first',
  fallback: 'false',
});

export const yesFlag = boolean({
  ...START,
  description:
    'with --replace: replace the workload even if it loses a protection, such as a login or a policy',
  fallback: 'false',
});

export const gatewayImageFlag = image({
  ...START,
  description: 'image with Node.js for the gateway of an isolated network',
  fallback: 'gateway.image of the settings, else that of Portolan',
  helpValue: 'IMAGE',
});

/** Default of `--start-timeout`: the time in which a server must respond. */
export const START_TIMEOUT_MS = 60_000;

/** Returns the value of `--start-timeout` in milliseconds. Throws ERR_BAD_ARGUMENT unless it is positive. */
export function startTimeoutOf(flags: { readonly 'start-timeout'?: number | undefined }): number {
  const startTimeoutMs = flags['start-timeout'] ?? START_TIMEOUT_MS;
  if (startTimeoutMs <= 0)
    throw badArgument('--start-timeout: found no positive duration; expected more than 0');
  return startTimeoutMs;
}

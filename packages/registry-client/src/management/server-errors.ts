import { PortolanError } from '@portolan/plugin-api';

/** The address of the registry server cannot be used, or was not given. */
export function serverAddressInvalid(problem: string, hint: string): PortolanError {
  return new PortolanError('ERR_SERVER_ADDRESS', 'mistake', problem, { hint });
}

/** No connection to the server could be made, or it broke. */
export function serverUnreachable(
  origin: string,
  reason: string,
  hint: string,
  cause: unknown,
): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_UNREACHABLE',
    'unavailable',
    `${origin} cannot be reached: ${reason}`,
    {
      hint,
      cause,
    },
  );
}

/** The server took longer than `--timeout` allows. */
export function serverTimedOut(origin: string, seconds: number): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_TIMEOUT',
    'unavailable',
    `${origin} did not answer within ${seconds} s`,
    {
      hint: 'allow more with --timeout; what was asked for may have been done all the same',
    },
  );
}

/** What came back is not what a registry server answers. */
export function serverAnswerUnusable(what: string, found: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_RESPONSE', 'unavailable', `${what} was answered with ${found}`, {
    hint: 'check that this is the address of a registry server, and what stands between it and this machine',
  });
}

/** A server that would publish in earnest. */
export function dryRunUnknown(origin: string): PortolanError {
  return new PortolanError(
    'ERR_DRY_RUN_UNKNOWN',
    'unavailable',
    `The server at ${origin} has no dry runs; nothing was sent.`,
    {
      hint: 'ask for another release of the server; `POST /v1/validate` checks a document alone',
    },
  );
}

/** A sync was waited for longer than `--wait-timeout` allows; it goes on. */
export function syncTimedOut(name: string, seconds: number): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_TIMEOUT',
    'unavailable',
    `The source "${name}" was not read within ${seconds} s; the server goes on with it.`,
    { hint: 'allow more with --wait-timeout, or look later with `portolan sources show`' },
  );
}

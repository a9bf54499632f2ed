import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a missing or unusable server address. */
export function serverAddressInvalid(problem: string, hint: string): PortolanError {
  return new PortolanError('ERR_SERVER_ADDRESS', 'mistake', problem, { hint });
}

/** Creates the error for a failed or broken connection to the server. */
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

/** Creates the error for a response that exceeded `--timeout`. */
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

/** Creates the error for a response that is not from a registry server. */
export function serverAnswerUnusable(what: string, found: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_RESPONSE', 'unavailable', `${what} was answered with ${found}`, {
    hint: 'check that this is the address of a registry server, and what stands between it and this machine',
  });
}

/** Creates the error for a server that would actually publish in a dry run. */
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

/** Creates the error for a sync that exceeded `--wait-timeout`; it continues. */
export function syncTimedOut(name: string, seconds: number): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_TIMEOUT',
    'unavailable',
    `The source "${name}" was not read within ${seconds} s; the server goes on with it.`,
    { hint: 'allow more with --wait-timeout, or look later with `portolan sources show`' },
  );
}

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
    `${origin} did not respond within ${seconds} s`,
    {
      hint: 'allow more time with --timeout; the server may have applied the request already',
    },
  );
}

/** Creates the error for a response that is not from a registry server. */
export function serverAnswerUnusable(what: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_RESPONSE',
    'unavailable',
    `${what} received ${actual} as its response`,
    {
      hint: 'check that this is the address of a registry server, and that no proxy changes its responses',
    },
  );
}

/** Creates the error for a server that would actually publish in a dry run. */
export function dryRunUnknown(origin: string): PortolanError {
  return new PortolanError(
    'ERR_DRY_RUN_UNKNOWN',
    'unavailable',
    `The server at ${origin} has no dry runs; nothing was sent.`,
    {
      hint: 'upgrade the server; `POST /v1/validate` checks a document without publishing it',
    },
  );
}

/** Creates the error for a sync that exceeded `--wait-timeout`; it continues. */
export function syncTimedOut(name: string, seconds: number): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_TIMEOUT',
    'unavailable',
    `The source "${name}" was not synchronized within ${seconds} s; the server continues the sync.`,
    { hint: 'allow more time with --wait-timeout, or check later with `portolan sources show`' },
  );
}

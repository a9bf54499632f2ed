import type { RowFault } from './known-rows.ts';
import { PortolanError } from '@portolan/plugin-api';

// Messages here are shown in the status of a source, to everyone who may see it. They contain what the
// configuration contains, but no host, query or credential.

/**
 * Creates the error for an invalid block. The kernel checks blocks, so that only code without that check gets
 * it.
 */
export function configInvalid(place: string, actual: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `In ${place}, found ${actual}; expected ${expected}.`,
    { hint: 'Correct the block `api` of the source.' },
  );
}

/** Creates the error for a failed or lost connection, or an invalid name or certificate of the registry. */
export function unreachable(what: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The request for ${what} failed (${reason}).`,
    {
      hint: 'Check `endpoint`, and that this machine may connect to it. See the log for the complete cause.',
      cause,
    },
  );
}

/** Creates the error for a registry that is too slow or silent. */
export function tooSlow(what: string, timeoutMs: number, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The registry did not return ${what} within ${timeoutMs / 1000} s.`,
    { hint: 'Raise `timeout`, lower `pageSize`, or find out why the registry is slow.', cause },
  );
}

/** Creates the error for a status other than 200. */
export function statusUnexpected(what: string, status: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    `The registry responded to the request for ${what} with status ${status}; expected 200.`,
    { hint: hintFor(status) },
  );
}

function hintFor(status: number): string {
  if (status === 401 || status === 403)
    return 'The registry wants other credentials, or those it got may not read it.';
  if (status === 404) return 'Check that `endpoint` is the address to which `/v0.1/servers` is added.';
  if (status === 400 || status === 422)
    return 'It may give fewer rows at a time: see its documentation, and set `pageSize`.';
  return 'See what the registry says of itself; it is asked again with the next sync.';
}

/** Creates the error for a registry that requests a longer wait than a sync allows. */
export function askedToWait(what: string, status: number, seconds: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    `The registry responded to the request for ${what} with status ${status}, and asks for a retry in ${seconds} s.`,
    { hint: 'Raise `syncPolicy.interval`. The last good entries stay until then.' },
  );
}

/** Creates the error for a redirect that a request must not follow. */
export function redirectRefused(what: string, how: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `The registry redirects the request for ${what} ${how}, which is not followed.`,
    { hint: 'Set `endpoint` to the final address of the registry.', cause },
  );
}

/** Creates the error for a response that exceeds its limit. */
export function answerTooLarge(what: string, maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The response with ${what} is larger than ${maxBytes} bytes.`,
    { hint: 'Lower `pageSize`, or raise `maxPageBytes`.' },
  );
}

/** Creates the error for a response that is no page of a list. */
export function pageUnusable(what: string, fault: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_RESPONSE',
    'unavailable',
    `The response with ${what} cannot be used: ${fault}.`,
    {
      hint: 'Check that `endpoint` is a registry with API v0.1; if it is, report the fault to its operator.',
      cause,
    },
  );
}

/** Creates the error for a cursor that leads back, or nowhere. */
export function cursorUnusable(what: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_RESPONSE',
    'unavailable',
    `After ${what}, the rest of the list cannot be read: ${fault}.`,
    { hint: 'Report the fault in its paging to the operator of the registry. The last good entries stay.' },
  );
}

/** Creates the error for two contradicting rows of a list, of which either may be intended. */
export function listContradictory({ place, name, fault }: Contradiction): PortolanError {
  const shown = JSON.stringify(name.slice(0, 200));
  const problem =
    fault === 'twice'
      ? `a version of ${shown} that is already in the list`
      : `${shown}, which is already in the list in another case`;
  return new PortolanError(
    'ERR_SOURCE_RESPONSE',
    'unavailable',
    `The list of the registry contradicts itself: ${place} is ${problem}; expected each version once, and one spelling of a name.`,
    { hint: 'Report the fault to the operator of the registry. The last good entries stay.' },
  );
}

/** Creates the error for an issuer that gave no token for the client credentials. */
export function tokenNotReceived(reason: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_API_TOKEN',
    'unavailable',
    `The issuer returned no token for the registry (${reason}).`,
    { hint: 'Check `auth.clientCredentials`, and the settings of this client at the issuer.', cause },
  );
}

/** Creates the error for a token file that is missing or has other content. */
export function tokenFileUnusable(problem: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CREDENTIAL_FILE',
    'fault',
    `The file that \`auth.tokenFile\` names ${problem}.`,
    {
      hint: 'Write one bearer token into the file, and make it readable for the user that runs Portolan.',
      cause,
    },
  );
}

/** Creates the error for a list with more pages or versions than the source accepts. */
export function listTooLong(most: number, parts: 'pages' | 'versions', key: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The list of the registry has more than ${most} ${parts}.`,
    { hint: `Raise \`${key}\`, if the registry is really that large.` },
  );
}

export interface Contradiction {
  readonly place: string;
  readonly name: string;
  readonly fault: RowFault;
}

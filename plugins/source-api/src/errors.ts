import type { RowFault } from './known-rows.ts';
import { PortolanError } from '@portolan/plugin-api';

// Everyone who may see a source reads these messages in its status: they name what the configuration names,
// but no host, query or credential.

/**
 * Creates the error for an invalid block. The kernel checks blocks, so that only code without that check gets
 * it.
 */
export function configInvalid(place: string, found: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `In ${place}, found ${found}; expected ${expected}.`,
    { hint: 'Correct the block `api` of the source.' },
  );
}

/** Creates the error for a failed or lost connection, or an invalid name or certificate of the registry. */
export function unreachable(what: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `Asking the registry for ${what} failed (${reason}).`,
    {
      hint: 'Check `endpoint`, and that this machine may connect to it. The log has the whole cause.',
      cause,
    },
  );
}

/** Creates the error for a registry that is too slow or silent. */
export function tooSlow(what: string, timeoutMs: number, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TIMEOUT',
    'unavailable',
    `The registry did not give ${what} within ${timeoutMs / 1000} s.`,
    { hint: 'Give it more time with `timeout`, ask for less with `pageSize`, or see why it is slow.', cause },
  );
}

/** Creates the error for a status other than 200. */
export function statusUnexpected(what: string, status: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_STATUS',
    'unavailable',
    `The registry was asked for ${what}, and answered with status ${status}; expected 200.`,
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
    `The registry was asked for ${what}, and answered with status ${status}, to be asked again in ${seconds} s.`,
    { hint: 'Ask it less often with `syncPolicy.interval`; the last good entries stay until then.' },
  );
}

/** Creates the error for a redirect that a request must not follow. */
export function redirectRefused(what: string, how: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REDIRECT',
    'unavailable',
    `The registry was asked for ${what}, and redirects ${how}; that is not followed.`,
    { hint: 'Let `endpoint` name the address at which the registry finally is.', cause },
  );
}

/** Creates the error for a response that exceeds its limit. */
export function answerTooLarge(what: string, mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The answer with ${what} is larger than ${mostBytes} bytes.`,
    { hint: 'Ask for fewer rows at a time with `pageSize`, or allow more with `maxPageBytes`.' },
  );
}

/** Creates the error for a response that is no page of a list. */
export function pageUnusable(what: string, fault: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_RESPONSE',
    'unavailable',
    `The answer with ${what} cannot be used: ${fault}.`,
    { hint: 'Check that `endpoint` is a registry that speaks v0.1; if it is, tell those who run it.', cause },
  );
}

/** Creates the error for a cursor that leads back, or nowhere. */
export function cursorUnusable(what: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_RESPONSE',
    'unavailable',
    `After ${what} the list cannot be read on: ${fault}.`,
    { hint: 'The registry has a fault in its paging; tell those who run it. The last good entries stay.' },
  );
}

/** Creates the error for two contradicting rows of a list, of which either may be intended. */
export function listContradictory({ place, name, fault }: Contradiction): PortolanError {
  const shown = JSON.stringify(name.slice(0, 200));
  const found =
    fault === 'twice'
      ? `a version of ${shown} that stands in the list before`
      : `${shown}, which stands in the list before in another case (upper and lower)`;
  return new PortolanError(
    'ERR_SOURCE_RESPONSE',
    'unavailable',
    `The list of the registry contradicts itself: ${place} is ${found}; expected each version once, and one spelling of a name.`,
    { hint: 'Tell those who run the registry. The last good entries stay.' },
  );
}

/** Creates the error for an issuer that gave no token for the client credentials. */
export function tokenNotHad(reason: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_API_TOKEN',
    'unavailable',
    `The issuer gave no token for the registry (${reason}).`,
    { hint: 'Check `auth.clientCredentials`, and what the issuer says of this client.', cause },
  );
}

/** Creates the error for a token file that is missing or has other content. */
export function tokenFileUnusable(problem: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CREDENTIAL_FILE',
    'fault',
    `The file that \`auth.tokenFile\` names ${problem}.`,
    { hint: 'Let it hold one bearer token, readable by the user that runs Portolan.', cause },
  );
}

/** Creates the error for a list with more pages or versions than the source accepts. */
export function listTooLong(most: number, parts: 'pages' | 'versions', key: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The list of the registry has more than ${most} ${parts}.`,
    { hint: `Allow more with \`${key}\`, if the registry is as large as that.` },
  );
}

export interface Contradiction {
  readonly place: string;
  readonly name: string;
  readonly fault: RowFault;
}

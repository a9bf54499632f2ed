import { PortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { describeExpiry } from '../connection/access-token.ts';
import type { RegistryAccess } from '../connection/registry-access.ts';
import { serverBaseOf } from '../connection/server-base.ts';

const SET_REGISTRY = '`portolan config set-registry`';

/** Creates the error for an unusable registry address. Shows only host and path. */
export function registryAddressUnusable(address: string, because: string, hint: string): PortolanError {
  return new PortolanError(
    'ERR_LOOKUP_ADDRESS',
    'mistake',
    `The registry ${address} cannot be used: ${because}.`,
    {
      hint,
    },
  );
}

/** Creates the error for a registry, or redirect target, with a private address that is not allowed. */
export function registryAddressPrivate(address: string, redirected: boolean, cause?: unknown): PortolanError {
  const message = redirected
    ? `${address}: the provided URL redirects to a private IP address, which is not allowed.`
    : `${address} has a private IP address, which is not allowed.`;
  return new PortolanError('ERR_LOOKUP_PRIVATE_ADDRESS', 'mistake', message, {
    hint: `Allow it with ${SET_REGISTRY} --allow-private-ip, when the registry is one of your own network.`,
    cause,
  });
}

/** Creates the error for a failed or broken connection to the registry. */
export function registryUnreachable(address: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_UNREACHABLE',
    'unavailable',
    `${address} cannot be reached: ${reasonOf(cause)}.`,
    {
      hint: `Check the connection, and the address with \`portolan config get-registry\`.`,
      cause,
    },
  );
}

/** Creates the error for a registry that exceeded the time limit. */
export function registryTimedOut(address: string, seconds: number): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_TIMEOUT',
    'unavailable',
    `${address} did not answer within ${seconds} s.`,
    { hint: 'Try again, or name the image, package or URL itself.' },
  );
}

/** Creates the error for a registry that requires a token, or another one. */
export function registryUnauthorized(
  address: string,
  status: number,
  { from, expiresAt }: Pick<RegistryAccess, 'from' | 'expiresAt'>,
): PortolanError {
  const expiry = status === 401 ? describeExpiry(expiresAt) : undefined;
  const end = expiry === undefined ? '' : `, which expired at ${expiry}`;
  const message =
    from === 'nowhere'
      ? `${address} wants an access token (${status}).`
      : `${address} refuses the access token (${status})${end}.`;
  const server = serverBaseOf(new URL(address)).href.replace(/\/$/, '');
  const hint =
    from === 'user'
      ? 'Name a file that holds a valid access token in the environment variable PORTOLAN_REGISTRY_TOKEN_FILE, or take the variables of the token away and log in: `portolan registry login`.'
      : `Log in${from === 'login' ? ' again' : ''}: \`portolan registry login ${server}\`; programs name a file with a token in PORTOLAN_REGISTRY_TOKEN_FILE, or in PORTOLAN_TOKEN_FILE beside the server in PORTOLAN_URL.`;
  return new PortolanError('ERR_LOOKUP_UNAUTHORIZED', 'refused', message, { hint });
}

/** Creates the error for an unexpected status of the registry. */
export function registryFailed(address: string, status: number): PortolanError {
  return new PortolanError('ERR_LOOKUP_STATUS', 'unavailable', `${address} answered with status ${status}.`, {
    hint: 'Try again later; if it stays so, check the address with `portolan config get-registry`.',
  });
}

/** Creates the error for a response that is not from a registry. */
export function registryAnswerUnusable(address: string, actual: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_REGISTRY_RESPONSE',
    'unavailable',
    `${address} is no answer of a registry: ${actual}.`,
    {
      hint: 'Check the address with `portolan config get-registry`: it is the part before /v0.1, or that of a JSON file.',
      cause,
    },
  );
}

/** Creates the error for a response above the size limit. */
export function registryAnswerTooLarge(address: string, limit: string): PortolanError {
  return new PortolanError('ERR_LOOKUP_TOO_LARGE', 'unavailable', `${address} sends more than ${limit}.`, {
    hint: 'Use a smaller registry, or a server with the paginated registry API.',
  });
}

/** Creates the error for listing the default registry, which is too large and was not chosen. */
export function registryNotListed(registry: string): PortolanError {
  return new PortolanError(
    'ERR_LOOKUP_NOT_LISTED',
    'mistake',
    `${registry} has too many servers to list. It is the default, because no other registry is set.`,
    { hint: `Find servers with \`portolan search TEXT\`, or choose a registry with ${SET_REGISTRY}.` },
  );
}

/** Creates the error for an unusable local catalogue. */
export function registryFileUnusable(file: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_NAMED_FILE',
    'mistake',
    `The registry file ${file} cannot be used: ${because}.`,
    {
      hint: `Correct the file, or name another with ${SET_REGISTRY}.`,
      cause,
    },
  );
}

/** Creates the error for an unusable registry token in a file or variable. Omits the token. */
export function registryTokenUnusable(place: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `The token in ${place} cannot be used: ${because}.`, {
    hint: 'Name a file that contains only an access token with --token-file, PORTOLAN_REGISTRY_TOKEN_FILE or PORTOLAN_TOKEN_FILE, or put the token into PORTOLAN_TOKEN.',
    cause,
  });
}

/** Creates the error for a short name of several servers. */
export function serverAmbiguous(
  name: string,
  registry: string,
  candidates: readonly string[],
): PortolanError {
  const shown = candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => `\n  ${JSON.stringify(candidate).slice(1, -1)}`);
  const more = candidates.length - shown.length;
  const rest = more > 0 ? `\n  and ${more} more` : '';
  return new PortolanError(
    'ERR_SERVER_AMBIGUOUS',
    'mistake',
    `"${name}" is the short name of ${candidates.length} servers of ${registry}:${shown.join('')}${rest}`,
    { hint: 'Write the whole name.' },
  );
}

const MAX_CANDIDATES = 20;

/** Creates the error for a name that the registry does not have. */
export function serverUnknown(name: string, registry: string): PortolanError {
  return new PortolanError('ERR_SERVER_UNKNOWN', 'absent', `${registry} has no server named "${name}".`, {
    hint: `See \`portolan search\` and \`portolan registry list\` for the names.${explainHint(name, registry)}`,
  });
}

/** Returns how managers of a registry's sources find out whether one left a server out. */
function explainHint(name: string, registry: string): string {
  const [, server, registryName] = /^(https?:\/\/.+)\/registry\/([\w.-]+)\/?$/.exec(registry) ?? [];
  if (server === undefined || !/^[\w.-]+\/[\w.-]+$/.test(name)) return '';
  return ` If you manage its sources, \`portolan claims explain --url ${server} --registry ${registryName} --entry server/${name}\` says whether one left it out.`;
}

/** Creates the error for a command without a configured registry. */
export function registryMissing(): PortolanError {
  return new PortolanError(
    'ERR_LOOKUP_NO_REGISTRY',
    'mistake',
    'No registry is configured, and none is asked by default.',
    {
      hint: `Name one with ${SET_REGISTRY} URL, or a file with ${SET_REGISTRY} FILE.`,
    },
  );
}

/** Creates the error for a catalogue that cannot be converted to the upstream format. */
export function catalogueNotConverted(name: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `${name} cannot be converted: ${because}.`, {
    hint: 'Name a catalogue in the legacy format: an object with the maps `servers` and `remote_servers`.',
    cause,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'names cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
};

/** Returns the cause, because `fetch` wraps the underlying error. */
function reasonOf(error: unknown): string {
  let message = textOf(error);
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
    const known = REASONS[code];
    if (known !== undefined) return known;
    if (inner.message !== '') message = textOf(inner);
  }
  return message;
}

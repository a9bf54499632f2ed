import type { HttpBackend, OutgoingCredentials } from '@portolan/plugin-api';
import { hasSecretPath, isLeftToExchange, namedCredentials, codeOf } from '@portolan/run-spec';
import { remoteTarget } from '../../secrets/remote-target.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import type { ServerSide } from './server-side.ts';
import type { Supervision } from '../supervision.ts';
import { lookup as systemLookup } from 'node:dns/promises';
import { remoteHostUnknown } from '../supervise-errors.ts';

export async function remoteServer(work: Supervision): Promise<ServerSide> {
  const { config, context, record, order } = work;
  const checksHealth = /^(?:1|true)$/i.test(context.environment['PORTOLAN_REMOTE_HEALTHCHECKS'] ?? '');
  const credentials = await credentialsOf(work);
  context.logger.debug(
    {
      origin: new URL(config.remote_url).origin,
      credentials: namedCredentials(config)?.type ?? (credentials === undefined ? 'none' : 'login'),
      checks_health: checksHealth,
    },
    'remote server',
  );
  const backend: HttpBackend = {
    carries: 'http',
    transport: config.transport === 'sse' ? 'sse' : 'streamable-http',
    target: remoteTarget(config, order.policySecrets),
    isRemote: true,
    hidesPath: hasSecretPath(config.remote_url, config.inline_secrets),
    forwardHeaders: forwardedHeaders(work).filter(({ name }) => !isLeftToExchange(config, name)),
    translatesEras: config.translate_eras === true,
    checksHealth,
    renewal: renewalFor(work, credentials),
    ...(credentials === undefined ? {} : { credentials }),
  };
  return {
    backend,
    start: async () => {
      // Check the host name only on the first start: later, the network may just not be up yet.
      if (work.state.startedAt === undefined) await requireKnownHost(backend.target);
      work.lifecycle.begin();
    },
    notAnswering: (reason) => {
      record.note((state) => ({ ...state, status: 'unhealthy', statusContext: reason }));
    },
    close: async () => {
      await credentials?.close?.();
    },
  };
}

/**
 * Returns the credentials for the remote server; undefined when the user sets an `Authorization` header, or
 * callers' tokens are exchanged.
 */
async function credentialsOf(work: Supervision): Promise<OutgoingCredentials | undefined> {
  const { config, order } = work;
  const named = namedCredentials(config);
  if (named !== undefined) {
    const { openNamedCredentials } = await import('../policies/open-credentials.ts');
    return await openNamedCredentials(named, work);
  }
  if (isLeftToExchange(config, 'Authorization')) return undefined;
  const names = Object.keys({ ...config.header_forward?.add_plaintext_headers, ...order.headers });
  if (names.some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const { openLoginCredentials } = await import('../policies/open-credentials.ts');
  return await openLoginCredentials(work);
}

function renewalFor({ config }: Supervision, credentials: OutgoingCredentials | undefined): string {
  const kind = namedCredentials(config)?.type;
  if (kind !== undefined) return `Change the settings of ${kind} in the workload ${config.name}.`;
  if (isLeftToExchange(config, 'Authorization'))
    return `Change the token exchange of the workload ${config.name}.`;
  return credentials === undefined
    ? `Start the workload ${config.name} with another token.`
    : `Log in again: portolan login ${config.name}`;
}

/**
 * Throws ERR_REMOTE_HOST when DNS says that the host does not exist. Ignores all other failures, because they
 * may be temporary.
 */
export async function requireKnownHost(
  { hostname }: URL,
  lookup: (hostname: string) => Promise<unknown> = systemLookup,
): Promise<void> {
  try {
    await lookup(hostname.replace(/^\[|\]$/g, ''));
  } catch (error) {
    if (codeOf(error) === 'ENOTFOUND') throw remoteHostUnknown(hostname, error);
  }
}

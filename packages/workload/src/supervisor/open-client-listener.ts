import { OwnRequests } from '@portolan/mcp-protocol';
import { parseDuration } from '@portolan/plugin-api';
import { openProxy, PROXY_LIMITS, type ProxyLimits, type ProxyOptions } from '@portolan/proxy';
import {
  DEFAULT_SESSION_TTL_MS,
  isVirtualServer,
  maxSessionsOf,
  namedCredentials,
  type RunConfig,
} from '@portolan/run-spec';
import type { WorkloadStatus } from '../state/workload-state.ts';
import { KeepAlive, RESTART_LIMITS } from './server/keep-alive.ts';
import { timerMs } from './timer-ms.ts';
import { restartsExhausted } from './supervise-errors.ts';
import { required, type Supervision } from './supervision.ts';
import type { WorkloadContext } from '../workload-context.ts';

type RemoteLogin = NonNullable<ProxyOptions['remoteLogin']>;

const TIMEOUT_MS = 20_000;

/**
 * Finds the authorization servers and scopes of a remote server, for clients that log in themselves. A remote
 * server without resource metadata is its own authorization server if it has authorization metadata or
 * rejected a request (protocol revision 2025-03-26). Otherwise returns undefined. Throws ERR_LOGIN_DISCOVERY
 * and ERR_LOGIN_UNTRUSTED.
 */
export async function findRemoteLogin(
  remote: URL,
  { metadataUrl, wasRefused }: Parameters<RemoteLogin['find']>[0],
  { environment, openFetch }: Pick<WorkloadContext, 'environment' | 'openFetch'>,
): ReturnType<RemoteLogin['find']> {
  const { findAuthorizationServer, findProtectedResource, OauthWeb } = await import('@portolan/oauth-client');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const web = await OauthWeb.open({ named: [remote.href], openFetch, environment });
  try {
    const resource = await findProtectedResource(remote, metadataUrl, web, signal);
    const { authorizationServers = [], scopes = [] } = resource ?? {};
    if (authorizationServers.length > 0) return { authorizationServers, scopes };
    const isOwnServer =
      wasRefused || (await findAuthorizationServer(remote.origin, web, signal)) !== undefined;
    return isOwnServer ? { authorizationServers: [remote.origin], scopes } : undefined;
  } finally {
    await web.close();
  }
}

/**
 * Opens the proxy in front of the server. Throws ERR_PROXY_PORT_IN_USE, and what opening the policies throws.
 */
export async function openClientListener(work: Supervision): Promise<void> {
  const { config, context, instance, opened } = work;
  const server = required(work.server, 'server');
  const { host, port } = placeOf(work);
  const text = port === 0 ? 'Opening its proxy' : `Listening on ${host || '127.0.0.1'}:${port}`;
  work.report({ report: 'step', step: 'proxy', text });
  const {
    middleware: policies,
    sessionStore,
    sessionTtlMs,
    auth,
  } = await required(work.policies, 'policies');
  // Names of a virtual server's members come first in their slot: tool filters see `MEMBER/NAME`.
  // Responses pass a slot in reverse: policies in the guard's slot that count the server's tools get them first.
  const guard = work.drift?.middleware(policies) ?? [];
  const middleware = [...(server.middleware ?? []), ...guard, ...policies];
  server.usePolicies?.([...guard, ...policies]);
  const resourceUrl = config.oidc_config?.ResourceURL ?? '';
  const ownRequests = new OwnRequests();
  logOpening(work, { middleware, sessionStore, sessionTtlMs, auth });
  const proxy = await openProxy({
    backend: server.backend,
    middleware,
    ...auth,
    ...(resourceUrl === '' ? {} : { resourceUrl: new URL(resourceUrl) }),
    ...(host === '' ? {} : { host }),
    port,
    instance,
    ownRequests,
    transport: config.transport,
    version: context.version,
    allowedOrigins: config.allowed_origins,
    trustProxyHeaders: config.trust_proxy_headers,
    ...(config.endpoint_prefix === '' ? {} : { endpointPrefix: config.endpoint_prefix }),
    isStateless: config.stateless,
    ...(sessionTtlMs === undefined ? {} : { sessionTtlMs }),
    ...(sessionStore === undefined ? {} : { sessionStore }),
    restarts: new KeepAlive(RESTART_LIMITS),
    limits: limitsOfProxy(work),
    failing: (reason) => failing(work, reason),
    recovered: () => noteWell(work, 'unhealthy'),
    refused: (isRefused) => {
      if (isRefused) noteRefused(work);
      else noteWell(work, 'unauthenticated');
    },
    ...(config.remote_url === '' ? {} : { remoteLogin: remoteLoginOf(work) }),
    missing: () => work.missing,
    logger: context.logger,
    clock: context.clock,
  });
  opened.push('proxy', () => proxy.close());
  work.proxy = proxy;
  work.ownRequests = ownRequests;
}

/** Returns where the proxy listens: at any free port if only the supervisor needs it, to read the definitions. */
function placeOf({ order, config }: Supervision): Pick<RunConfig, 'host' | 'port'> {
  return order.readsDefinitions === true ? { host: '', port: 0 } : config;
}

function logOpening(
  { config, context }: Supervision,
  { middleware, sessionStore, sessionTtlMs, auth }: Awaited<NonNullable<Supervision['policies']>>,
): void {
  context.logger.debug(
    {
      host: config.host || '127.0.0.1',
      port: config.port,
      transport: config.transport,
      proxy_mode: config.proxy_mode,
      middleware: middleware.map(({ name }) => name),
      callers: auth === undefined ? 'anonymous' : 'authenticated',
      session_ttl_ms: sessionTtlMs ?? DEFAULT_SESSION_TTL_MS,
      open_streams_keep_sessions: sessionTtlMs === undefined,
      session_store: sessionStore === undefined ? 'memory' : new URL(config.session_store).protocol,
      stateless: config.stateless,
      ...maxSessions(config),
    },
    'proxy opens',
  );
}

/**
 * Returns what the proxy needs to let clients log in at the remote server themselves. This applies while the
 * workload has no login of its own.
 */
function remoteLoginOf({ config, context }: Supervision): NonNullable<ProxyOptions['remoteLogin']> {
  return {
    workload: config.name,
    find: (request) => findRemoteLogin(new URL(config.remote_url), request, context),
  };
}

/**
 * Sets the status back to normal if it is still `from`. If it has changed to report another problem, leaves
 * it unchanged.
 */
function noteWell({ record, lifecycle }: Supervision, from: WorkloadStatus): void {
  const status = lifecycle.isStarting ? 'starting' : 'running';
  record.note((state) => (state.status === from ? { ...state, status, statusContext: '' } : state));
}

/**
 * Records that the remote server rejects the credentials. The start still succeeds, because the server
 * responds.
 */
function noteRefused(work: Supervision): void {
  const statusContext = whyRefused(work);
  work.record.note((state) => ({ ...state, status: 'unauthenticated', statusContext }));
}

function whyRefused({ order, config }: Supervision): string {
  const kind = namedCredentials(config)?.type;
  if (kind !== undefined) return `The remote server rejects the credentials of ${kind}: check its settings.`;
  const headers = { ...config.header_forward?.add_plaintext_headers, ...order.headers };
  const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return hasToken
    ? 'Bearer token authentication failed. Please restart the server with a new token'
    : `The remote server requires credentials, but this workload has none: use portolan login ${config.name}, or --remote-auth-bearer-token-file.`;
}

function failing(work: Supervision, reason: string): void {
  const { lifecycle, config } = work;
  const server = required(work.server, 'server');
  if (server.backend.carries === 'http') {
    server.notAnswering(reason);
    return;
  }
  const { failuresToFail } = RESTART_LIMITS;
  // Prefer the reason why the last start failed: the output of an earlier process does not explain it.
  const how = work.startFault ?? work.output.last.at(-1) ?? reason;
  lifecycle.finish({ how: 'failed', error: restartsExhausted(config.name, failuresToFail, how) });
}

function limitsOfProxy(work: Supervision): NonNullable<ProxyOptions['limits']> {
  const { config, context, order } = work;
  return {
    ...limitsOf(context.environment),
    ...limitsOfServer(config, context.environment),
    ...limitsOfStart(work),
    startTimeoutMs: timerMs(order.startTimeoutMs),
  };
}

/** Returns the limits of sessions. Those of a virtual server have no process of their own. */
function limitsOfServer(
  config: RunConfig,
  environment: WorkloadContext['environment'],
): Partial<ProxyLimits> {
  return isVirtualServer(config) ? limitsOfMembers(config, environment) : maxSessions(config);
}

/** Returns limits with which a client waits for a server that the request itself starts. */
function limitsOfStart({ server, order }: Supervision): Partial<ProxyLimits> {
  const backend = server?.backend;
  if (backend?.carries !== 'messages' || backend.startsOnDemand !== true) return {};
  const startWaitMs = timerMs(order.startTimeoutMs);
  // Sessions with a server that speaks HTTP have no process of their own.
  return backend.sendsCredentials === true
    ? { startWaitMs, maxProcesses: PROXY_LIMITS.maxSessions }
    : { startWaitMs };
}

/** Returns limits with which the proxy does not end a call before the member does. */
function limitsOfMembers(
  { members }: RunConfig,
  environment: WorkloadContext['environment'],
): Partial<ProxyLimits> {
  const { maxSessions: sessions } = PROXY_LIMITS;
  const { requestMs = PROXY_LIMITS.requestMs } = limitsOf(environment);
  const timeouts = Object.values(members).map(({ timeout = '0s' }) => parseDuration(timeout));
  return { maxProcesses: sessions, requestMs: timerMs(Math.max(requestMs, ...timeouts)) };
}

function maxSessions(config: RunConfig): Pick<ProxyLimits, 'maxProcesses' | 'maxSessions'> {
  return { maxProcesses: maxSessionsOf(config, 'own'), maxSessions: maxSessionsOf(config, 'shared') };
}

/** Reads limits from the operator's environment variables, and ignores invalid values. */
function limitsOf(
  environment: Readonly<Record<string, string | undefined>>,
): NonNullable<ProxyOptions['limits']> {
  const { health, requestMs } = PROXY_LIMITS;
  const time = (name: string, otherwise: number): number => {
    const text = environment[name];
    if (text === undefined || text === '') return otherwise;
    try {
      return timerMs(parseDuration(text)) || otherwise;
    } catch {
      return otherwise;
    }
  };
  const failures = Number(environment['PORTOLAN_HEALTH_CHECK_FAILURE_THRESHOLD']);
  return {
    requestMs: time('PORTOLAN_PROXY_REQUEST_TIMEOUT', requestMs),
    health: {
      intervalMs: time('PORTOLAN_HEALTH_CHECK_INTERVAL', health.intervalMs),
      pingMs: time('PORTOLAN_HEALTH_CHECK_PING_TIMEOUT', health.pingMs),
      retryMs: time('PORTOLAN_HEALTH_CHECK_RETRY_DELAY', health.retryMs),
      failures: Number.isSafeInteger(failures) && failures > 0 ? failures : health.failures,
    },
  };
}

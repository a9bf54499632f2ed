import { BATCHES_IN, batchInvalid, isModern } from '@portolan/mcp-protocol';
import type { HttpBackend, Logger } from '@portolan/plugin-api';
import { refuseBatches } from '../bridge/serve-events.ts';
import { outerAddressOptions, pageOptions } from '../steps/page-options.ts';
import { clientPathOf, endpointOf } from '../request/client-path.ts';
import { HealthMonitor } from '../health/health-monitor.ts';
import type { PathParts, NamedStep } from '../request/message-path.ts';
import type { ProxyLimits, ProxyOptions } from '../request/proxy-options.ts';
import { headerOf, type RequestContext, type Middleware } from '../request/request-state.ts';
import { sessionLifeOf } from '../sessions/session-life.ts';
import type { Service, ServiceHealth } from '../request/service.ts';
import { bypassesMiddleware } from '../policy/observe-request.ts';
import type { Policy } from '../policy/policy.ts';
import type { ServiceParts } from '../policy/service-parts.ts';
import { checkJsonBody } from '../steps/check-json-body.ts';
import { decideEra, decideEraOnEvents } from '../steps/decide-era.ts';
import { parseBody } from '../steps/parse-body.ts';
import { readBody } from '../steps/read-body.ts';
import { reportOnStream } from '../steps/report-on-stream.ts';
import { splitBatches } from '../steps/split-batches.ts';
import { AnnouncedStreams } from '../streams/list-changes.ts';
import { EventStreams } from './event-streams.ts';
import { ClientLogins, refuseLoginPaths } from './client-logins.ts';
import { endBackendSession } from './sessions/end-backend-session.ts';
import { openForwarder } from './forward/open-forwarder.ts';
import { openPageForwarder } from './forward/open-page-forwarder.ts';
import { StoredSessions } from './sessions/stored-sessions.ts';
import { pingTarget } from './forward/ping-target.ts';
import { RememberedSessions } from './sessions/remembered-sessions.ts';
import { findClientStream } from './respond-with-error.ts';
import { enterJudged, type JudgedOptions, serveJudged } from './judge/serve-judged.ts';
import { serveTransparent } from './serve-transparent.ts';
import type { TransparentOptions } from './transparent-options.ts';
import { methodNotPossible } from '../errors/request-errors.ts';

const LEGACY_METHODS = ['GET', 'HEAD', 'DELETE'];
const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'];
const STATELESS_METHODS = ['POST'];

/**
 * Refuses HTTP methods that MCP does not use. TRACE, for example, would show a client the headers that the
 * proxy adds.
 */
function checkMethod(isStateless: boolean): Middleware {
  const methods = isStateless ? STATELESS_METHODS : METHODS;
  return (ctx, next) => {
    const version = headerOf(ctx, 'MCP-Protocol-Version');
    // A request by GET or DELETE, for a stream or session, needs a revision with a handshake.
    if (LEGACY_METHODS.includes(ctx.method) && version !== undefined && isModern(version)) {
      ctx.set('Allow', 'POST');
      throw methodNotPossible(ctx.method, ['POST']);
    }
    if (methods.includes(ctx.method)) return next();
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  };
}

const RENEWAL = 'Ask the person who runs the workload to give it new credentials.';

interface ServiceState {
  modernPath: string | undefined;
  waiting: number;
  refuses: boolean;
}

export async function openTransparent(
  backend: HttpBackend,
  options: ProxyOptions,
  parts: ServiceParts,
): Promise<Service> {
  const { limits, policy } = parts;
  const state: ServiceState = { modernPath: undefined, waiting: 0, refuses: false };
  const upstream = { target: endpointOf(backend), agent: backend.agent, connectMs: limits.connectMs };
  const forwarder = await openForwarder(upstream);
  const pageForwarder = openPageForwarder(upstream);
  const monitor = monitorOf(backend, options, limits, state);
  const sessions = sessionsOf(backend, options, policy);
  const { checksHealth = !backend.isRemote } = backend;
  const serving: TransparentOptions = {
    ...describeServing(backend, options, policy),
    forwarder,
    pageForwarder,
    sessions,
    seen: (path) => {
      state.modernPath ??= path;
      if (checksHealth) monitor.start();
    },
    refused: (refuses) => {
      if (state.refuses !== refuses) options.refused?.(refuses);
      state.refuses = refuses;
    },
    waiting: (change) => {
      state.waiting += change;
    },
  };
  const { clientLogins } = serving;
  return {
    ...(clientLogins === undefined ? {} : { servedPaths: clientLogins.servedPaths }),
    steps: stepsOf(serving, backend, options, parts),
    get health() {
      return healthOf(monitor);
    },
    get stats() {
      return { sessions: sessions.size, processes: 0, waiting: state.waiting };
    },
    announceListChanges: () => serving.announced.announce(),
    close: async () => {
      sessions.close();
      await monitor.close();
      forwarder.close();
      pageForwarder.close();
    },
  };
}

function monitorOf(
  backend: HttpBackend,
  options: ProxyOptions,
  limits: ProxyLimits,
  state: Pick<ServiceState, 'modernPath'>,
): HealthMonitor {
  const { isRemote, transport, agent } = backend;
  const { isStateless = false, version, clock, logger } = options;
  // A container with HTTP+SSE is checked at its base address: a GET of the event stream would open a session,
  // which ends the client's session on some servers.
  const target = transport === 'sse' && !isRemote ? backend.target : endpointOf(backend);
  return new HealthMonitor({
    limits: limits.health,
    ping: (signal) => {
      const { modernPath } = state;
      return pingTarget({ target, agent, isStateless, modernPath, version }, signal);
    },
    givenUp: (reason) => options.failing?.(reason),
    recovered: () => options.recovered?.(),
    clock,
    logger,
  });
}

function sessionsOf(
  backend: HttpBackend,
  options: ProxyOptions,
  policy: Policy | undefined,
): RememberedSessions | StoredSessions {
  const { sessionStore, logger, nowMs = () => performance.now() } = options;
  const { transport, agent, forwardHeaders = [] } = backend;
  const target = endpointOf(backend);
  // An HTTP+SSE session ends with its stream.
  const end = async (id: string, path: string): Promise<void> => {
    if (transport !== 'sse') await endBackendSession({ target, agent, forwardHeaders, logger }, id, path);
  };
  const life = sessionLifeOf(options);
  if (sessionStore !== undefined) return new StoredSessions({ store: sessionStore, ...life, end, logger });
  // HTTP+SSE with policies accepts only known sessions: two spellings of an endpoint are one session for the
  // server, but different ones for policies.
  const trustsUnknown = transport !== 'sse' || policy === undefined;
  return new RememberedSessions({ ...life, end, trustsUnknown, nowMs, logger });
}

function describeServing(
  backend: HttpBackend,
  options: ProxyOptions,
  policy: Policy | undefined,
): Omit<TransparentOptions, 'forwarder' | 'pageForwarder' | 'sessions' | 'seen' | 'refused' | 'waiting'> {
  const { isRemote, transport, forwardHeaders = [], credentials, renewal = RENEWAL } = backend;
  const { endpointPrefix, trustProxyHeaders = false, isStateless = false } = options;
  return {
    transport,
    target: endpointOf(backend),
    clientPath: clientPathOf(backend),
    isRemote,
    isStateless,
    forwardHeaders,
    credentials: { backend: credentials, policy },
    askRefused: credentials?.refused?.bind(credentials),
    renewal,
    clientLogins: clientLoginsOf(backend, options),
    streams: new EventStreams(),
    announced: new AnnouncedStreams(),
    readsAnswers: policy !== undefined && policy.answering.length > 0,
    readsRevisions: policy !== undefined,
    endpointPrefix,
    trustProxyHeaders,
  };
}

function stepsOf(
  serving: TransparentOptions,
  { isRemote, agent }: HttpBackend,
  { isStateless = false, sessionStore, logger }: ProxyOptions,
  { limits, policy }: ServiceParts,
): PathParts {
  const { connectMs } = limits;
  return {
    guard: [
      ...(isRemote ? [{ name: 'refuseLoginPaths', run: refuseLoginPaths(serving.clientPath) }] : []),
      { name: 'checkMethod', run: checkMethod(isStateless) },
    ],
    ...(policy === undefined
      ? untouchedSteps(serving, limits, logger)
      : judgedSteps({ ...serving, policy, agent, connectMs, sessionStore, logger }, limits)),
  };
}

/** Undefined when clients authenticate to the proxy, and when the workload has its own token. */
function clientLoginsOf(backend: HttpBackend, options: ProxyOptions): ClientLogins | undefined {
  const { remoteLogin: login, authProvider, callersProve = true, logger } = options;
  const { nowMs = () => performance.now() } = options;
  const isOwn = ({ name }: { readonly name: string }): boolean => name.toLowerCase() === 'authorization';
  const hasToken = backend.forwardHeaders?.some(isOwn) ?? false;
  if (login === undefined || !backend.isRemote || hasToken) return undefined;
  if (authProvider !== undefined && callersProve) return undefined;
  const { origins } = pageOptions(options);
  return new ClientLogins({ backend, login, address: outerAddressOptions(options), origins, nowMs, logger });
}

/**
 * Returns the steps for a server without policies, which forward every byte unchanged. The body is still
 * read: to drop the session id of `initialize`, to reject a large body early, and to repeat a request.
 */
function untouchedSteps(serving: TransparentOptions, limits: ProxyLimits, logger: Logger): PathParts {
  return {
    read: [{ name: 'readBody', run: readBody(limits.bodyBytes) }, ...onStream(serving, logger)],
    serve: [{ name: 'serveTransparent', run: serveTransparent(serving) }],
  };
}

/**
 * Returns the steps for a server with policies. Like the steps of a bridge, they reject input that two
 * programs could read differently.
 */
function judgedSteps(serving: JudgedOptions, limits: ProxyLimits): PathParts {
  return {
    read: [{ name: 'readBody', run: readBody(limits.bodyBytes, checkJsonBody) }],
    parse: [
      { name: 'parseBody', run: parseBody },
      { name: 'splitBatches', run: splitBatches(checkBatch(serving.transport)) },
      ...onStream(serving, serving.logger),
    ],
    // A session from before a restart is valid, because the server knows it.
    era: [
      {
        name: 'decideEra',
        run: serving.transport === 'sse' ? decideEraOnEvents : decideEra(() => true),
      },
    ],
    session: [{ name: 'enterSession', run: unlessBypassed(enterJudged(serving), (_ctx, next) => next()) }],
    // Reads of definitions by the supervisor bypass the policies.
    serve: [{ name: 'serveJudged', run: unlessBypassed(serveJudged(serving), serveTransparent(serving)) }],
  };
}

function unlessBypassed(judged: Middleware, bypassed: Middleware): Middleware {
  return (ctx, next) => (bypassesMiddleware(ctx) ? bypassed : judged)(ctx, next);
}

function onStream(serving: TransparentOptions, logger: Logger): readonly NamedStep[] {
  return serving.transport === 'sse'
    ? [{ name: 'reportOnStream', run: reportOnStream(findClientStream(serving), logger) }]
    : [];
}

/**
 * Throws ERR_MESSAGE_INVALID where batches are not allowed. Clients of later revisions send the version
 * header, so a missing header may mean a revision with batches.
 */
function checkBatch(transport: HttpBackend['transport']): (ctx: RequestContext) => void {
  return (ctx) => {
    if (transport === 'sse') refuseBatches();
    const version = headerOf(ctx, 'MCP-Protocol-Version');
    if (version !== undefined && version !== BATCHES_IN)
      throw batchInvalid(`only clients of revision ${BATCHES_IN} may send them`);
  };
}

function healthOf(monitor: HealthMonitor): ServiceHealth {
  const mcp = monitor.last === undefined ? {} : { mcp: monitor.last };
  if (monitor.isGivenUp) return { state: 'unhealthy', ...mcp };
  return { state: monitor.failures === 0 ? 'healthy' : 'degraded', ...mcp };
}

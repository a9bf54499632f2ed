import { isModern } from '@portolan/mcp-protocol';
import type { MessageBackend, OpenConnection } from '@portolan/plugin-api';
import { StatelessHost } from '../modern/stateless-host.ts';
import type { OnlyProcess } from '../modern/only-process.ts';
import type { ServiceParts } from '../policy/service-parts.ts';
import type { ProxyLimits, ProxyOptions } from '../request/proxy-options.ts';
import { OneCausePace, type RestartPace } from '../request/restart-pace.ts';
import { type PoolOptions, ProcessPool } from '../server/process-pool.ts';
import { translateEras, type TranslatedServer } from '../server/eras/eras.ts';
import { RestingConnection } from '../server/idle/resting-connection.ts';
import { Startup } from '../server/startup.ts';
import { sessionLifeOf } from '../sessions/session-life.ts';
import type { SessionHost } from './mcp-session.ts';
import type { Outlet } from './outlet.ts';
import { PerSessionHost } from './per-session-host.ts';
import { SharedProcessHost } from './shared-process-host.ts';

/** Minimum for inner sessions with a Legacy server, which Modern clients need. */
const MIN_INNER_SESSIONS = 4;

const FAILING = 'The processes of the server exit repeatedly.';

interface HostOptions {
  readonly backend: MessageBackend;
  readonly options: ProxyOptions;
  readonly parts: ServiceParts;
  readonly pool: ProcessPool;
  readonly modern?: { readonly host: StatelessHost; readonly onlyProcess: OnlyProcess } | undefined;
}

export const monotonicMs = (): number => performance.now();

export function openHost<Out extends Outlet>(input: HostOptions): SessionHost<Out> {
  const { backend, options, parts, pool, modern } = input;
  const { limits, counts } = parts;
  const { logger, version, nowMs = monotonicMs } = options;
  const life = sessionLifeOf(options);
  const { makesRoomAfterMs } = limits;
  return sharesProcess(backend, options)
    ? new SharedProcessHost({
        pool,
        maxSessions: limits.maxSessions,
        keepsSessions: options.isStateless !== true,
        takenFor: modern && (() => modern.host.takenFor()),
        handshakeBegins: modern && ((agrees) => modern.onlyProcess.beginHandshake(agrees)),
        ...life,
        makesRoomAfterMs,
        version,
        counts,
        nowMs,
        logger,
      })
    : new PerSessionHost({
        pool,
        maxProcesses: limits.maxProcesses,
        ...life,
        makesRoomAfterMs,
        greetAgainMs: limits.greetAgainMs,
        limits,
        counts,
        logger,
        nowMs,
      });
}

/**
 * Returns whether all sessions use one process. A stateless server has no session data that separate
 * processes would have to protect.
 */
function sharesProcess({ sessions }: MessageBackend, { isStateless }: ProxyOptions): boolean {
  return sessions === 'shared' || isStateless === true;
}

export function openPool(
  backend: MessageBackend,
  options: ProxyOptions,
  parts: ServiceParts,
  startup?: Startup,
): ProcessPool {
  const { limits } = parts;
  const maxProcesses = sharesProcess(backend, options) ? 1 : limits.maxProcesses;
  const { spareDelayMs } = limits;
  return new ProcessPool({
    ...poolOptions(backend, options, parts),
    ...(startup === undefined ? {} : { startup }),
    maxProcesses,
    keepsSpare: backend.startsOnDemand !== true,
    keepsReturned: true,
    spareDelayMs,
  });
}

interface ModernHostInput {
  readonly backend: MessageBackend;
  readonly options: ProxyOptions;
  readonly parts: ServiceParts;
  readonly startup: Startup;
  readonly shared: { readonly pool: ProcessPool; readonly onlyProcess: OnlyProcess } | undefined;
  readonly translated: TranslatedServer | undefined;
}

/** Returns undefined for a server whose clients of the other era are refused. */
export function openTranslation(
  { openConnection, sessions, translatesEras = false }: MessageBackend,
  { version, logger, clock, restarts, nowMs = monotonicMs }: ProxyOptions,
  { limits, counts }: ServiceParts,
): TranslatedServer | undefined {
  if (!translatesEras) return undefined;
  const maxSessions = Math.max(MIN_INNER_SESSIONS, Math.floor(limits.maxProcesses / 2));
  return translateEras(openConnection, {
    version,
    limits: { ...limits, maxSessions },
    counts,
    isShared: sessions === 'shared',
    restarts,
    logger,
    clock,
    nowMs,
  });
}

export function withOpen(
  backend: MessageBackend,
  openConnection: OpenConnection | undefined,
): MessageBackend {
  return openConnection === undefined ? backend : { ...backend, openConnection };
}

/**
 * Returns a backend whose connections respond without the server while it does not run. The first request without a
 * known response connects to the server.
 */
export function withResponsesAtRest(
  backend: MessageBackend,
  { logger, nowMs = monotonicMs }: ProxyOptions,
  { limits }: ServiceParts,
): MessageBackend {
  const { respondAtRest, openConnection, translatesEras } = backend;
  // Without translation, a client of another era gets an error, and only the server knows which one.
  if (respondAtRest === undefined || translatesEras !== true) return backend;
  const { startTimeoutMs } = limits;
  const over = (): void => undefined;
  const options = { open: openConnection, respond: respondAtRest, startTimeoutMs, over, nowMs, logger };
  return { ...backend, openConnection: async () => RestingConnection.atRest(options) };
}

export function openModernHost(input: ModernHostInput): StatelessHost {
  const { backend, options, parts, shared, translated } = input;
  const { limits, counts } = parts;
  const { logger, nowMs = monotonicMs, version } = options;
  const own = (): ProcessPool =>
    new ProcessPool({
      ...poolOptions(
        withResponsesAtRest(withOpen(backend, translated?.openModern), options, parts),
        options,
        parts,
      ),
      restarts:
        translated === undefined ? restartsOf(options) : paceOfTranslated(restartsOf(options), translated),
      maxProcesses: 1,
      keepsSpare: false,
    });
  return new StatelessHost({
    pool: shared?.pool ?? own(),
    onlyProcess: shared?.onlyProcess,
    // The translation probes the server itself, and always responds.
    startup: translated === undefined ? input.startup : new Startup(),
    watchesTools: () => translated === undefined || translated.revision !== undefined,
    restarts: restartsOf(options),
    version,
    limits: requestLimitsOf(backend, limits),
    counts,
    logger,
    nowMs,
    failing: () => options.failing?.(FAILING),
  });
}

/** Returns the limits of requests, without times when the backend limits them itself. */
function requestLimitsOf({ limitsRequests }: MessageBackend, limits: ProxyLimits): ProxyLimits {
  return limitsRequests === true ? { ...limits, requestMs: Infinity, longestRequestMs: Infinity } : limits;
}

function poolOptions(
  backend: MessageBackend,
  options: ProxyOptions,
  { limits, counts, policy }: ServiceParts,
): Omit<PoolOptions, 'maxProcesses' | 'keepsSpare'> {
  const { logger, clock, nowMs = monotonicMs } = options;
  return {
    openConnection: backend.openConnection,
    startWaitMs: limits.startWaitMs,
    restarts: restartsOf(options),
    failing: () => options.failing?.(FAILING),
    limits: requestLimitsOf(backend, limits),
    counts,
    recall: policy && ((text) => policy.lists.recall(text)),
    logger,
    clock,
    nowMs,
  };
}

/** Lets all pools of one server count their failures together. */
export function joinFailures(options: ProxyOptions): ProxyOptions {
  const { nowMs = monotonicMs } = options;
  return { ...options, restarts: new OneCausePace(restartsOf(options), nowMs) };
}

/**
 * Returns a pace for the connection to a translated server. The translation itself responds for a Legacy server, so
 * only calls of inner sessions show that the server works.
 */
function paceOfTranslated(pace: RestartPace, translated: TranslatedServer): RestartPace {
  return {
    failed: (livedMs) => pace.failed(livedMs),
    succeeded: () => {
      if (translated.revision !== undefined && isModern(translated.revision)) pace.succeeded();
    },
    get isFailing() {
      return pace.isFailing;
    },
    get delayMs() {
      return pace.delayMs;
    },
    pause: (signal) => pace.pause(signal),
  };
}

function restartsOf({ restarts }: ProxyOptions): RestartPace {
  if (restarts === undefined)
    throw new TypeError('the option "restarts" is missing; a stdio server needs it');
  return restarts;
}

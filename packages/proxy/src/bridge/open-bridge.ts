import type { MessageBackend } from '@portolan/plugin-api';
import type { Counts } from '../counts.ts';
import { writeTime } from '../health/health-report.ts';
import type { ProxyLimits, ProxyOptions } from '../proxy-options.ts';
import { SESSION_TTL_MS } from '../proxy-limits.ts';
import { ProcessPool } from '../server/process-pool.ts';
import type { NamedStep, Service, ServiceHealth } from '../service.ts';
import { decideEra } from '../steps/decide-era.ts';
import { parseBody } from '../steps/parse-body.ts';
import { readBody } from '../steps/read-body.ts';
import { ByteBudget } from './byte-budget.ts';
import type { SessionHost } from './mcp-session.ts';
import type { Outlet } from './outlet.ts';
import { OwnHost } from './own-host.ts';
import { checkEventsPath, serveEvents } from './serve-events.ts';
import { checkStreamablePath, serveStreamable } from './serve-streamable.ts';
import { SharedHost } from './shared-host.ts';
import type { StreamableOutlet } from './streamable-outlet.ts';
import type { StreamOutlet } from './stream-outlet.ts';

/** The HTTP side of a server that is spoken to by messages. Starts its first process at once. */
export function openBridge(
  backend: MessageBackend,
  options: ProxyOptions,
  limits: ProxyLimits,
  counts: Counts,
): Service {
  return backend.mode === 'sse'
    ? openEvents(backend, options, limits, counts)
    : openStreamable(backend, options, limits, counts);
}

function openStreamable(
  backend: MessageBackend,
  options: ProxyOptions,
  limits: ProxyLimits,
  counts: Counts,
): Service {
  const host = openHost<StreamableOutlet>(backend, options, limits, counts);
  const outlet = { limits, held: new ByteBudget(limits.heldBytes), counts };
  const { silenceMs } = limits;
  const { ownKey, isStateless = false } = options;
  const pass = host instanceof SharedHost && isStateless ? host.pass.bind(host) : undefined;
  const serve = serveStreamable({ host, pass, outlet, silenceMs, ownKey });
  const steps = [
    { name: 'checkPath', run: checkStreamablePath(isStateless) },
    ...messageSteps(host, limits),
    { name: 'serveStreamable', run: serve },
  ];
  return toService(steps, host, options);
}

function openEvents(
  backend: MessageBackend,
  options: ProxyOptions,
  limits: ProxyLimits,
  counts: Counts,
): Service {
  const host = openHost<StreamOutlet>(backend, options, limits, counts);
  const { endpointPrefix, trustProxyHeaders = false, ownKey } = options;
  const events = { host, limits, counts, endpointPrefix, trustProxyHeaders, ownKey };
  const steps = [
    { name: 'checkPath', run: checkEventsPath },
    ...messageSteps(host, limits),
    { name: 'serveEvents', run: serveEvents(events) },
  ];
  return toService(steps, host, options);
}

/** From bytes to a message of which the era is known; what filters and authorizes comes after them. */
function messageSteps(host: SessionHost, limits: ProxyLimits): readonly NamedStep[] {
  return [
    { name: 'readBody', run: readBody(limits.bodyBytes) },
    { name: 'parseBody', run: parseBody },
    { name: 'decideEra', run: decideEra((id) => host.has(id)) },
  ];
}

function openHost<Out extends Outlet>(
  backend: MessageBackend,
  options: ProxyOptions,
  limits: ProxyLimits,
  counts: Counts,
): SessionHost<Out> {
  const { logger, clock, version, sessionTtlMs: ttlMs = SESSION_TTL_MS } = options;
  const { restarts } = options;
  if (restarts === undefined) throw new TypeError('a server that is spoken to by messages needs "restarts"');
  // What keeps nothing has nothing that a process of its own would guard.
  const isShared = backend.sessions === 'shared' || options.isStateless === true;
  const mostProcesses = isShared ? 1 : limits.mostProcesses;
  const pool = new ProcessPool({
    openConnection: backend.openConnection,
    mostProcesses,
    keepsSpare: true,
    spareDelayMs: limits.spareDelayMs,
    startWaitMs: limits.startWaitMs,
    restarts,
    failing: () => options.failing?.('The processes of the server end again and again.'),
    limits,
    counts,
    logger,
    clock,
  });
  return isShared
    ? new SharedHost({
        pool,
        mostSessions: limits.mostSessions,
        keepsSessions: options.isStateless !== true,
        ttlMs,
        makesRoomAfterMs: limits.makesRoomAfterMs,
        version,
        counts,
        clock,
        logger,
      })
    : new OwnHost({
        pool,
        mostProcesses,
        ttlMs,
        makesRoomAfterMs: limits.makesRoomAfterMs,
        greetAgainMs: limits.greetAgainMs,
        limits,
        counts,
        clock,
      });
}

function toService(steps: readonly NamedStep[], host: SessionHost, { clock }: ProxyOptions): Service {
  return {
    steps,
    get health(): ServiceHealth {
      const { fault } = host;
      const checked = { last_checked: writeTime(clock()) };
      return fault === undefined
        ? { state: 'healthy', mcp: { available: true, ...checked } }
        : { state: 'unhealthy', mcp: { available: false, ...checked, error: fault } };
    },
    get stats() {
      return host.stats;
    },
    close: () => host.close(),
  };
}

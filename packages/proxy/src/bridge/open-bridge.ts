import type { MessageBackend } from '@portolan/plugin-api';
import { writeTime } from '../health/health-report.ts';
import type { PathParts, NamedStep } from '../request/message-path.ts';
import type { ProxyLimits, ProxyOptions } from '../request/proxy-options.ts';
import { middlewareBroken } from '../policy/policy-errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import type { Service, ServiceHealth } from '../request/service.ts';
import type { ServiceParts } from '../policy/service-parts.ts';
import { checkJsonBody } from '../steps/check-json-body.ts';
import { decideEra, decideEraOnEvents } from '../steps/decide-era.ts';
import { parseBody } from '../steps/parse-body.ts';
import { readBody } from '../steps/read-body.ts';
import { refuseWhenUnavailable } from '../steps/refuse-when-unavailable.ts';
import { reportOnStream } from '../steps/report-on-stream.ts';
import { splitBatches } from '../steps/split-batches.ts';
import { ByteBudget } from '../streams/byte-budget.ts';
import { StatelessHost } from '../modern/stateless-host.ts';
import { OnlyProcess } from '../modern/only-process.ts';
import { sessionLifeOf } from '../sessions/session-life.ts';
import { sweepMs } from '../sessions/session-table.ts';
import type { TranslatedServer } from '../server/eras/eras.ts';
import { Startup } from '../server/startup.ts';
import type { SessionHost } from './mcp-session.ts';
import {
  checkEventsPath,
  closeUnusedStreams,
  findStream,
  type OpenOutlets,
  refuseBatches,
  requireStream,
  serveEvents,
} from './serve-events.ts';
import {
  checkRevisionOfBatch,
  checkStreamablePath,
  requireSession,
  serveStreamable,
} from './serve-streamable.ts';
import {
  joinFailures,
  monotonicMs,
  openHost,
  openModernHost,
  openPool,
  openTranslation,
  withOpen,
  withResponsesAtRest,
} from './open-hosts.ts';
import { SharedProcessHost } from './shared-process-host.ts';
import type { StreamableOutlet } from './streamable-outlet.ts';
import type { StreamOutlet } from './stream-outlet.ts';
import { UnreadResponses } from '../streams/unread-responses.ts';

/**
 * Opens the HTTP side of a server that the proxy reaches by messages, such as over standard streams. Starts
 * the first server process at once.
 */
export function openBridge(backend: MessageBackend, options: ProxyOptions, parts: ServiceParts): Service {
  const giver = parts.policy?.all.find(({ instance }) => instance.credentials !== undefined);
  if (giver !== undefined && backend.sendsCredentials !== true)
    throw middlewareBroken(giver.name, 'a server on standard input takes no credentials');
  return backend.mode === 'sse'
    ? openEvents(backend, options, parts)
    : openStreamable(backend, options, parts);
}

/** Opens the streamable HTTP side of a backend. `path` is the path for clients. */
export function openStreamable(
  backend: MessageBackend,
  given: ProxyOptions,
  parts: ServiceParts,
  path?: string,
): Service {
  const options = joinFailures(given);
  const { limits, counts, policy } = parts;
  const startup = new Startup();
  const translated = openTranslation(backend, options, parts);
  const legacy = withResponsesAtRest(withOpen(backend, translated?.openLegacy), options, parts);
  const pool = openPool(legacy, options, parts, startup);
  // With translation, clients of both eras use the only process at the same time.
  const isTaken = backend.sessions === 'shared' && translated === undefined;
  const onlyProcess = isTaken ? new OnlyProcess() : undefined;
  const shared = onlyProcess && { pool, onlyProcess };
  const modernHost = openModernHost({ backend, options, parts, startup, shared, translated });
  const host = openHost<StreamableOutlet>({
    backend,
    options,
    parts,
    pool,
    modern: onlyProcess && { host: modernHost, onlyProcess },
  });
  const unread = new UnreadResponses(limits);
  const modern = { host: modernHost, limits, unread, counts, policy };
  const outlet = { limits, budget: new ByteBudget(limits.heldBytes), unread, counts };
  const { silenceMs } = limits;
  const { isStateless = false } = options;
  const pass = host instanceof SharedProcessHost && isStateless ? host.pass.bind(host) : undefined;
  const serve = serveStreamable({ host, pass, outlet, silenceMs, policy, modern });
  const checkBatch = (ctx: RequestContext): void =>
    checkRevisionOfBatch(pass === undefined ? host : undefined, ctx);
  const judged = policy && { name: 'requireSession', run: requireSession({ host, pass }) };
  const steps = {
    guard: [{ name: 'checkPath', run: checkStreamablePath(isStateless, path) }],
    ...messageSteps({
      limits,
      checkBatch,
      era: decideEra(
        (id) => host.has(id),
        () => modernHost.supported,
      ),
      judged,
    }),
    serve: [{ name: 'serveStreamable', run: serve }],
  };
  return toService(steps, host, options, { modern: modernHost, translated });
}

function openEvents(backend: MessageBackend, given: ProxyOptions, parts: ServiceParts): Service {
  const options = joinFailures(given);
  const { limits, counts, policy } = parts;
  const pool = openPool(backend, options, parts);
  const host = openHost<StreamOutlet>({ backend, options, parts, pool });
  const { endpointPrefix, trustProxyHeaders = false } = options;
  const events = {
    host,
    limits,
    unread: new UnreadResponses(limits),
    counts,
    endpointPrefix,
    trustProxyHeaders,
    policy,
    nowMs: options.nowMs ?? monotonicMs,
  };
  const outlets: OpenOutlets = new Map();
  const judged = policy && { name: 'requireStream', run: requireStream(outlets) };
  const steps = {
    guard: [{ name: 'checkPath', run: checkEventsPath }],
    ...messageSteps({
      limits,
      checkBatch: refuseBatches,
      afterParse: [
        { name: 'reportOnStream', run: reportOnStream(findStream(outlets), options.logger) },
        refuseWhenUnavailable(options),
      ],
      era: decideEraOnEvents,
      judged,
    }),
    serve: [{ name: 'serveEvents', run: serveEvents(events, outlets) }],
  };
  return toService(steps, host, options, { sweeping: sweepStreams(outlets, options) });
}

/**
 * Closes streams without a session after the session TTL. Undefined when open streams keep their sessions
 * alive.
 */
function sweepStreams(outlets: OpenOutlets, options: ProxyOptions): NodeJS.Timeout | undefined {
  const { keptByStreams, ttlMs } = sessionLifeOf(options);
  if (keptByStreams) return undefined;
  const { nowMs = monotonicMs } = options;
  const sweep = (): void => closeUnusedStreams(outlets, nowMs() - ttlMs);
  return setInterval(sweep, sweepMs(ttlMs));
}

interface MessageStepOptions {
  readonly limits: ProxyLimits;
  readonly checkBatch: (ctx: RequestContext) => void;
  readonly afterParse?: readonly NamedStep[];
  readonly era: Middleware;
  /**
   * Checks that the session of a message exists, before policies read the message. Undefined without
   * policies, because `serve` makes the same check.
   */
  readonly judged: NamedStep | undefined;
}

function messageSteps({ limits, checkBatch, afterParse = [], era, judged }: MessageStepOptions): PathParts {
  return {
    read: [{ name: 'readBody', run: readBody(limits.bodyBytes, checkJsonBody) }],
    parse: [
      { name: 'parseBody', run: parseBody },
      { name: 'splitBatches', run: splitBatches(checkBatch) },
      ...afterParse,
    ],
    era: [{ name: 'decideEra', run: era }],
    session: judged === undefined ? [] : [judged],
  };
}

interface ServiceExtras {
  readonly modern?: StatelessHost;
  readonly translated?: TranslatedServer | undefined;
  readonly sweeping?: NodeJS.Timeout | undefined;
}

function toService(
  steps: PathParts,
  host: SessionHost,
  { clock }: ProxyOptions,
  { modern, translated, sweeping }: ServiceExtras,
): Service {
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
      const { sessions, processes, waiting } = host.stats;
      return {
        sessions,
        processes: processes + (modern?.processes ?? 0),
        waiting: waiting + (modern?.waiting ?? 0),
      };
    },
    announceListChanges: () => {
      host.announceListChanges();
      modern?.announceListChanges();
    },
    close: async () => {
      clearInterval(sweeping);
      await Promise.all([host.close(), modern?.close()]);
      await translated?.close();
    },
  };
}

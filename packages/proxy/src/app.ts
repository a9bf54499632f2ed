import Koa from 'koa';
import { outerAddressOptions, pageOptions } from './steps/page-options.ts';
import { resourceMetadataPaths } from './steps/resource-metadata.ts';
import { proxyClosing } from './errors/server-errors.ts';
import { type HealthReport, writeTime } from './health/health-report.ts';
import type { ProxyOptions } from './request/proxy-options.ts';
import type { Middleware, RequestState } from './request/request-state.ts';
import { layPath, type PathParts, type NamedStep } from './request/message-path.ts';
import { observeRequest, limitRequest } from './policy/observe-request.ts';
import type { Policy } from './policy/policy.ts';
import { slotSteps } from './policy/slot-steps.ts';
import type { Service, ServiceHealth, ServedPathRow } from './request/service.ts';
import { serveOwnPaths, EMPTY_PATHS, healthPath } from './steps/serve-own-paths.ts';
import { authenticate } from './steps/authenticate.ts';
import { checkHeaders } from './steps/check-headers.ts';
import { checkHost } from './steps/check-host.ts';
import { checkOrigin } from './steps/check-origin.ts';
import { checkSize } from './steps/check-size.ts';
import { checkOwnBody, takeOwnRequest } from './steps/take-own-request.ts';
import { refuseWhenUnavailable } from './steps/refuse-when-unavailable.ts';
import { reportErrors } from './steps/report-errors.ts';

export type ProxyApp = Koa<RequestState, object>;

export interface AppInput {
  readonly options: ProxyOptions;
  readonly service: Service;
  readonly policy: Policy | undefined;
  readonly servedPaths: readonly ServedPathRow[];
  readonly isClosing: () => boolean;
  readonly bodyBytes: number;
}

export function createProxyApp(input: AppInput): ProxyApp {
  const app: ProxyApp = new Koa<RequestState, object>();
  const { options, service, policy, bodyBytes } = input;
  const parts = [outerSteps(input), service.steps, lateGuards(bodyBytes)];
  for (const run of layPath(...parts, ...(policy === undefined ? [] : [slotSteps(policy)]))) app.use(run);
  // Koa emits only connection errors here, such as a disconnected client. `reportErrors` has handled errors
  // of requests.
  app.on('error', (error: unknown) => options.logger.debug({ err: error }, 'connection failed'));
  return app;
}

function outerSteps({ options, service, policy, servedPaths, isClosing }: AppInput): PathParts {
  const { authProvider: provider, callersProve = true, ownRequests, clock } = options;
  const health = healthPath(() => reportHealth(options, service));
  const address = outerAddressOptions(options);
  const metadata =
    provider === undefined
      ? []
      : resourceMetadataPaths({ provider, address, origins: pageOptions(options).origins });
  const own = [health, ...metadata, ...(service.servedPaths ?? []), ...servedPaths, ...EMPTY_PATHS];
  const parts: PathParts = {
    report: [
      { name: 'reportErrors', run: reportErrors(options.logger) },
      { name: 'takeOwnRequest', run: takeOwnRequest(ownRequests) },
    ],
    'own paths': [{ name: 'serveOwnPaths', run: serveOwnPaths(own, pageOptions(options)) }],
    guard: guards(options, isClosing),
    authenticate:
      provider === undefined
        ? []
        : [{ name: 'authenticate', run: authenticate({ provider, callersProve, address, clock }) }],
  };
  if (policy === undefined) return parts;
  return {
    ...parts,
    observe: [{ name: 'observeRequest', run: observeRequest(policy, clock) }],
    limit: [{ name: 'limitRequest', run: limitRequest(policy) }],
  };
}

/**
 * Returns whether an HTTP+SSE bridge reports an unreachable server as an event on the client's stream. Such
 * an event contains the request id, so the body must be parsed first.
 */
function reportsOnStream({ backend }: ProxyOptions): boolean {
  return backend.carries === 'messages' && backend.mode === 'sse';
}

function guards(options: ProxyOptions, isClosing: () => boolean): readonly NamedStep[] {
  const { hosts, origins } = pageOptions(options);
  return [
    { name: 'refuseWhenClosing', run: refuseWhenClosing(isClosing) },
    ...(reportsOnStream(options) ? [] : [refuseWhenUnavailable(options)]),
    { name: 'checkHost', run: checkHost(hosts) },
    { name: 'checkOrigin', run: checkOrigin(origins) },
  ];
}

function lateGuards(bodyBytes: number): PathParts {
  return {
    guard: [
      { name: 'checkHeaders', run: checkHeaders },
      { name: 'checkSize', run: checkSize(bodyBytes) },
    ],
    read: [{ name: 'checkOwnBody', run: checkOwnBody }],
  };
}

function refuseWhenClosing(isClosing: () => boolean): Middleware {
  return (_ctx, next) => {
    if (isClosing()) throw proxyClosing();
    return next();
  };
}

function reportHealth({ clock, transport, instance, missing }: ProxyOptions, service: Service): HealthReport {
  const reason = missing?.();
  const { state, mcp } =
    reason === undefined
      ? service.health
      : ({
          state: 'unhealthy',
          mcp: { available: false, last_checked: writeTime(clock()), error: reason },
        } satisfies ServiceHealth);
  const report = { status: state, timestamp: writeTime(clock()), transport, instance };
  return mcp === undefined ? report : { ...report, mcp };
}

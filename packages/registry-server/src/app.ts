import type { GuardedHooks, Kernel, ServerConfig } from '@portolan/kernel';
import { type Logger, type PageRoute, parseDuration, type Tracer } from '@portolan/plugin-api';
import type { RegistryAdmin, RegistryReader } from '@portolan/registry';
import Koa from 'koa';
import type { ReadinessProbe } from './actions/operation.ts';
import { PageCache } from './responses/page-cache.ts';
import type { RecentEvents } from './responses/recent-events.ts';
import { rememberingHooks } from './responses/remembering-hooks.ts';
import { middlewarePlaceUnknown } from './routes/route-errors.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { apiOf } from './listen/ask-api.ts';
import { findRoute, runRoute } from './routes/find-route.ts';
import type { Middleware, RequestState } from './request/request-state.ts';
import { pageRoutes } from './routes/page-routes.ts';
import { PageTurns } from './request/page-turns.ts';
import type { Route } from './request/route.ts';
import type { RouteParts } from './routes/route-parts.ts';
import { internalRoutes, publicRoutes } from './routes.ts';
import type { ServerAccess } from './request/server-access.ts';
import type { SourceMaking } from './request/source-making.ts';
import { allowOrigins } from './steps/allow-origins.ts';
import { assignRequestId } from './steps/assign-request-id.ts';
import { authenticate } from './steps/access/authenticate.ts';
import { believeProxies } from './steps/believe-proxies.ts';
import { checkHost, checkOrigin, type HostRules } from './steps/check-host.ts';
import { checkPath } from './steps/check-path.ts';
import { type BodyLimits, closeUnreadBody, refuseLargeBody } from './steps/body/limit-body.ts';
import { limitTime } from './steps/limit-time.ts';
import { pointToMetadata } from './steps/point-to-metadata.ts';
import { preferPages } from './steps/prefer-pages.ts';
import { protectResponse } from './steps/protect-response.ts';
import { recordAccess } from './steps/record-access.ts';
import { whereToLook } from './actions/where-to-look.ts';
import { refuseUnknown } from './steps/refuse-unknown.ts';
import { reportErrors } from './steps/report-errors.ts';
import { resolveRoles } from './steps/access/resolve-roles.ts';
import { traceRequest } from './steps/trace-request.ts';
import { tracedOuterStep, tracedRoutes } from './steps/traced-steps.ts';
import type { VersionInfo } from './request/version-info.ts';

export interface RegistryServerOptions {
  readonly reader: RegistryReader;
  readonly admin: RegistryAdmin;
  readonly sourceMaking: SourceMaking;
  /** Returns the current access decisions. Called for each request. */
  readonly access: () => ServerAccess;
  readonly hooks: GuardedHooks;
  /** Middleware of plugins. Each names the outer step next to which it is placed. */
  readonly middleware?: readonly Omit<Kernel['middleware'][number], 'block'>[];
  readonly logger: Logger;
  readonly config: ServerConfig;
  readonly version: VersionInfo;
  readonly readiness: ReadinessProbe;
  readonly clock: () => Date;
  readonly metrics?: ServerMetrics;
  readonly recent?: RecentEvents | undefined;
  readonly tracer?: Tracer | undefined;
  readonly bodyLimits?: BodyLimits;
  readonly pages?: readonly PageRoute[];
  /** Whether each app's listener is bound to a loopback address. */
  readonly listensOnLoopback: Readonly<Record<'public' | 'internal', () => boolean>>;
}

export type RegistryApp = Koa<RequestState, object>;

export interface RegistryServer {
  readonly publicApp: RegistryApp;
  readonly internalApp: RegistryApp;
}

/** A step of every request. Undefined when this server does not need it. */
export interface OuterStep {
  readonly name: string;
  readonly run: Middleware | undefined;
}

const BODY_LIMITS: BodyLimits = { bytes: 1024 * 1024, lingerMs: 1000 };

/**
 * Creates the apps of both listeners. Throws ERR_MIDDLEWARE_PLACE when a middleware kind names an unknown
 * step.
 */
export function createRegistryServer(options: RegistryServerOptions): RegistryServer {
  const { reader, admin, sourceMaking, hooks, config, version, readiness, logger, clock } = options;
  const { bodyLimits = BODY_LIMITS } = options;
  const metrics = options.metrics ?? new ServerMetrics({ enabled: false, version, logger, clock });
  const pages = new PageCache(config.pageCacheBytes);
  const parts: RouteParts = {
    reader,
    admin,
    sourceMaking,
    hooks,
    config,
    version,
    readiness,
    pages,
    metrics,
    recent: options.recent,
    maxBodyBytes: bodyLimits.bytes,
  };
  const { tracer } = options;
  const routes = publicRoutes(parts);
  const turns = new PageTurns();
  const stepsOf = (all: readonly Route[], shown: readonly Route[] = []): readonly OuterStep[] => {
    const [traced, tracedPages] = [all, shown].map((list) =>
      tracer === undefined ? list : tracedRoutes(list, tracer),
    );
    const steps = withMiddleware(
      publicSteps(options, metrics, traced ?? [], tracedPages, shown.length === 0 ? undefined : turns),
      options.middleware ?? [],
      logger,
    );
    return tracer === undefined ? steps : tracedOuterSteps(steps, tracer);
  };
  const shown = openPageRoutes(options, parts, routes, { turns, apiSteps: () => stepsOf(routes) });
  return {
    publicApp: createApp(stepsOf(routes, shown), logger),
    internalApp: createApp(internalSteps(options, internalRoutes(parts)), logger),
  };
}

/**
 * Opens the routes of pages. Pages call the API in this process, through the same steps as other requests.
 */
function openPageRoutes(
  { pages = [], logger, tracer }: RegistryServerOptions,
  parts: RouteParts,
  routes: readonly Route[],
  { turns, apiSteps }: { readonly turns: PageTurns; readonly apiSteps: () => readonly OuterStep[] },
): readonly Route[] {
  if (pages.length === 0) return [];
  const steps = apiSteps();
  const run = steps.flatMap((outer) => (outer.run === undefined ? [] : [outer.run]));
  return pageRoutes(pages, routes, parts, apiOf(createApp(steps, logger), run, tracer), turns);
}

/** Returns the steps of every request to the public listener, outermost first. */
export function publicSteps(
  options: RegistryServerOptions,
  metrics: ServerMetrics,
  routes: readonly Route[],
  pages: readonly Route[] = [],
  turns?: PageTurns,
): readonly OuterStep[] {
  const { config, logger, hooks, clock, access, reader, tracer, bodyLimits = BODY_LIMITS } = options;
  const open = new Set(routes.filter((route) => route.open).map((route) => route.path));
  return [
    { name: 'assignRequestId', run: assignRequestId() },
    { name: 'traceRequest', run: tracer === undefined ? undefined : traceRequest(tracer) },
    { name: 'believeProxies', run: believeProxies(config.trustedProxies) },
    { name: 'closeUnreadBody', run: closeUnreadBody(bodyLimits) },
    {
      name: 'recordAccess',
      run: recordAccess({ logger, hooks: rememberingHooks(options), metrics, clock, turns }),
    },
    { name: 'protectResponse', run: protectResponse(config.cors.enabled) },
    { name: 'pointToMetadata', run: pointToMetadata(config.publicUrl) },
    { name: 'reportErrors', run: reportErrors(logger) },
    { name: 'checkHost', run: checkHost(hostRules(options, 'public')) },
    { name: 'checkOrigin', run: checkOrigin({ config }) },
    { name: 'allowOrigins', run: config.cors.enabled ? allowOrigins(config.cors) : undefined },
    { name: 'refuseLargeBody', run: refuseLargeBody(bodyLimits) },
    { name: 'checkPath', run: checkPath },
    { name: 'limitTime', run: limitTime(parseDuration(config.requestTimeout)) },
    { name: 'findRoute', run: findRoute([...pages, ...routes]) },
    { name: 'preferPages', run: preferPages(pages, routes, pageForUnknown(options, pages)) },
    { name: 'authenticate', run: authenticate(access, reader, open) },
    { name: 'resolveRoles', run: resolveRoles(hooks) },
    { name: 'route', run: runRoute },
    {
      name: 'refuseUnknown',
      run: refuseUnknown(whereToLook(reader, config.publicUrl)),
    },
  ];
}

function hostRules(
  { config, listensOnLoopback, access }: RegistryServerOptions,
  listener: 'public' | 'internal',
): HostRules {
  return { config, access, listensOnLoopback: listensOnLoopback[listener] };
}

function pageForUnknown({ pages = [] }: RegistryServerOptions, made: readonly Route[]): Route | undefined {
  const page = pages.find(({ isForUnknown }) => isForUnknown === true);
  return made.find(({ name }) => name === page?.name);
}

/**
 * Returns the steps of every request to the internal listener. They include no log, audit or authentication,
 * because only the operator reaches this listener.
 */
export function internalSteps(
  options: RegistryServerOptions,
  routes: readonly Route[],
): readonly OuterStep[] {
  const { config, logger, bodyLimits = BODY_LIMITS } = options;
  const paths = routes.map(({ path }) => path).join(', ');
  return [
    { name: 'assignRequestId', run: assignRequestId() },
    { name: 'closeUnreadBody', run: closeUnreadBody(bodyLimits) },
    { name: 'protectResponse', run: protectResponse(false) },
    { name: 'reportErrors', run: reportErrors(logger) },
    { name: 'checkHost', run: checkHost(hostRules(options, 'internal')) },
    { name: 'checkOrigin', run: checkOrigin({ config }) },
    { name: 'refuseLargeBody', run: refuseLargeBody(bodyLimits) },
    { name: 'checkPath', run: checkPath },
    { name: 'limitTime', run: limitTime(parseDuration(config.requestTimeout)) },
    { name: 'findRoute', run: findRoute(routes) },
    { name: 'route', run: runRoute },
    { name: 'refuseUnknown', run: refuseUnknown(async () => `This listener answers at ${paths}.`) },
  ];
}

/**
 * Inserts middleware of plugins next to the named steps, in a stable order. Errors of plugins get the same
 * response as all others.
 */
function withMiddleware(
  steps: readonly OuterStep[],
  middleware: NonNullable<RegistryServerOptions['middleware']>,
  logger: Logger,
): readonly OuterStep[] {
  if (middleware.length === 0) return steps;
  const names = steps.map((step) => step.name);
  const placed = middleware.map(({ kind, handler }) => {
    const side = 'before' in kind.placed ? ('before' as const) : ('after' as const);
    const step = 'before' in kind.placed ? kind.placed.before : kind.placed.after;
    if (!names.includes(step)) throw middlewarePlaceUnknown(kind.kind, step, names);
    return { side, step, run: handler, name: kind.kind };
  });
  const beside = (step: string, side: 'before' | 'after') =>
    placed.filter((item) => item.step === step && item.side === side);
  const placedSteps = steps.flatMap((step) => [
    ...beside(step.name, 'before'),
    step,
    ...beside(step.name, 'after'),
  ]);
  return [{ name: 'guard', run: reportErrors(logger) }, ...placedSteps];
}

/**
 * Steps without a span of their own: they start before the span of the request, or have spans for their
 * parts.
 */
const UNTRACED: readonly string[] = ['guard', 'assignRequestId', 'traceRequest', 'route'];

function tracedOuterSteps(steps: readonly OuterStep[], tracer: Tracer): readonly OuterStep[] {
  return steps.map(({ name, run }) => ({
    name,
    run: run === undefined || UNTRACED.includes(name) ? run : tracedOuterStep(name, run, tracer),
  }));
}

function createApp(steps: readonly OuterStep[], logger: Logger): RegistryApp {
  const app: RegistryApp = new Koa<RequestState, object>();
  for (const { run } of steps) if (run !== undefined) app.use(run);
  // The steps handle errors of requests, so this event reports errors of connections.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'connection failed'));
  return app;
}

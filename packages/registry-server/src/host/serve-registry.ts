import { AUTH_ONLY_WARNING, createRolesPlugin } from '@portolan/authorization';
import type { BootOptions, Kernel, KernelAuth } from '@portolan/kernel';
import {
  type PageRoute,
  type PagesContext,
  parseDuration,
  type Tracer,
  UndoStack,
} from '@portolan/plugin-api';
import {
  listSyncStatus,
  startSyncScheduler,
  startSourceRoster,
  createRegistryAdmin,
  createRegistryReader,
  type DocumentRules,
  type ScratchLocation,
  type SourceRoster,
  type Store,
  type StoredDefinition,
  type SyncScheduler,
} from '@portolan/registry';
import { pid } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { nothingToWatch, stopIncomplete } from './host-errors.ts';
import { RecentEvents } from '../responses/recent-events.ts';
import type { MetricReader } from '../metrics/metric-reader.ts';
import { ServerMetrics } from '../metrics/server-metrics.ts';
import type { VersionInfo } from '../request/version-info.ts';
import { startRegistryServer, type RunningRegistryServer } from '../start-registry-server.ts';
import { serverAccess } from './access-of-kernel.ts';
import { databaseReadiness } from './database-readiness.ts';
import { syncedSources } from './describe-sources.ts';
import { openPages } from './open-pages.ts';
import { sourceMaking } from './make-sources.ts';
import { registryTaker } from './registry-taker.ts';
import { configurationReloader, type Reloaded, watchedReloader } from './reload-configuration.ts';
import { openScratchFolder } from './scratch-folder.ts';
import { startTelemetry, tracedLogger } from './start-telemetry.ts';
import { warnOfOpenAccess } from './warn-of-open-access.ts';
import { watchFile } from './watch-file.ts';
import { bootKernel } from '@portolan/kernel/boot';
import { createPublishRulesPlugin } from './publish-rules-plugin.ts';
import { openStoreOf, migrate, reconcile } from './open-serving-store.ts';

export interface ServeOptions {
  readonly boot: BootOptions;
  readonly version: VersionInfo;
  /**
   * Whether to apply changes of the configuration file, including sources and registries, while the server
   * runs.
   */
  readonly watch?: boolean;
  /**
   * Returns what `portolan run` would ask the user for an entry, and why it would refuse the entry. Default:
   * pages do not show it.
   */
  readonly describeDemands?: PagesContext['describeDemands'];
}

/** A running registry server. The code that started it stops it. */

export interface RunningRegistry {
  readonly kernel: Kernel;
  readonly server: RunningRegistryServer;
  /**
   * Reopens log files and reloads `auth`. With `watch`, also reloads sources and registries. Never rejects.
   */
  reload(): Promise<Reloaded>;
  /**
   * Stops in reverse order of the start. Throws ERR_STOP_INCOMPLETE when that takes 5 s longer than
   * `server.shutdownTimeout`.
   */
  stop(): Promise<void>;
}

/**
 * Runs bootKernel → openDatabase → migrate → reconcile → startSync → startRoster → listen. On failure it
 * closes what was opened and throws the first error, or the signal's reason. The signal affects only the
 * start.
 */
export async function serveRegistry(
  { boot, version, watch = false, describeDemands }: ServeOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunningRegistry> {
  const builtIn = () => [createRolesPlugin(), createPublishRulesPlugin(() => documentRules(kernel))];
  const kernel: Kernel = await bootKernel({ ...boot, signal, builtIn });
  const opened = new UndoStack(kernel.logger);
  opened.push('kernel', () => kernel.close());
  try {
    let reader: MetricReader | undefined;
    const telemetry = await startTelemetry(kernel, version, () => reader?.read());
    const flush = (): Promise<void> | undefined => telemetry?.close();
    opened.push('telemetry', flush);
    const tracer = telemetry?.tracer;
    const store = await openStoreOf(kernel, boot, tracer);
    opened.push('database', () => store.close());
    signal.throwIfAborted();
    await migrate(store, kernel);
    signal.throwIfAborted();
    const stored = await reconcile(store, kernel);
    signal.throwIfAborted();
    const metrics = await createMetrics(store, kernel, version);
    opened.push('metrics', () => metrics.close());
    reader = metrics.openReader();
    // Telemetry is closed early, because the last export reads metrics from parts that are still open.
    opened.push('telemetry', flush);
    const scratch = await openScratchFolder(kernel, boot.environment, store);
    opened.push('scratch folders', () => scratch.close());
    const scheduler = await startSync({ store, kernel, tracer, metrics }, stored, scratch.place);
    opened.push('sync', () => scheduler.stop());
    const roster = await startRoster(store, kernel, scheduler);
    opened.push('sources of the API', () => roster.stop());
    const pages = await openPages(kernel, store, { version, describeDemands }, opened);
    const server = await listen({ pages, store, kernel, tracer, metrics, version, scheduler, roster });
    opened.push('server', () => server.close());
    const warnOfAccess = (auth: KernelAuth) =>
      warnOfOpenAccess(auth, kernel.config.server, server.bound, kernel.logger);
    const reload = watch
      ? watchedReloader(kernel, registryTaker({ store, kernel, scheduler, stored }), warnOfAccess)
      : configurationReloader(kernel, warnOfAccess);
    if (watch) opened.push('watch', startWatch(kernel, reload));
    announce(kernel, server);
    warnOfAccess(kernel.auth);
    return {
      kernel,
      server,
      reload,
      stop: () => withinTime(opened.run(), kernel.config.server.shutdownTimeout),
    };
  } catch (error) {
    await opened.run();
    throw error;
  }
}

/** Applies changes of the configuration file until the returned function is called. */
function startWatch({ logger, configFile }: Kernel, reload: () => Promise<Reloaded>): () => Promise<void> {
  if (configFile === undefined) throw nothingToWatch();
  const stopping = new AbortController();
  const unreadable = (error: unknown): void =>
    logger.warn({ error, config: configFile }, 'cannot read the configuration; everything stays unchanged');
  const watching = watchFile({ file: configFile, changed: reload, unreadable }, stopping.signal);
  return async () => {
    stopping.abort();
    await watching;
  };
}

function announce({ logger, configFile }: Kernel, server: RunningRegistryServer): void {
  const { address } = server.bound;
  const { internalAddress = 'off' } = server;
  logger.info({ address, internalAddress, config: configFile, pid }, 'listening');
}

/** Time for closing syncs, plugins and the database after the last request, in milliseconds. */
const STOP_MARGIN_MS = 5000;

async function withinTime(stopped: Promise<void>, shutdownTimeout: string): Promise<void> {
  const done = new AbortController();
  const limitMs = parseDuration(shutdownTimeout) + STOP_MARGIN_MS;
  const late = setTimeout(limitMs, undefined, { signal: done.signal }).then(
    () => {
      throw stopIncomplete(limitMs);
    },
    () => undefined, // aborted below: everything closed in time
  );
  try {
    await Promise.race([stopped, late]);
  } finally {
    done.abort();
  }
}

async function createMetrics(
  store: Store,
  { config, logger, clock }: Kernel,
  version: VersionInfo,
): Promise<ServerMetrics> {
  const readFigures = async () =>
    (await listSyncStatus(store.reading)).map(
      ({ source, serverCount, skillCount, pluginCount, lastGoodTime }) => ({
        source,
        entries: { server: serverCount, skill: skillCount, plugin: pluginCount },
        lastGoodTime,
      }),
    );
  return new ServerMetrics({
    enabled: config.telemetry.metrics.enabled,
    version,
    logger,
    clock,
    readFigures,
    readPools: () => store.readPools(),
  });
}

/**
 * Returns the rules for documents, which allow package transports of the schema and of this server's plugins.
 */
function documentRules({ config, kinds }: Kernel): DocumentRules {
  return { maxMetaSize: config.database.maxMetaSize, transports: [...kinds.transports.keys()] };
}

async function startSync(
  { store, kernel, tracer, metrics }: Pick<Served, 'store' | 'kernel' | 'tracer' | 'metrics'>,
  stored: ReadonlyMap<string, StoredDefinition>,
  scratch: ScratchLocation,
) {
  const { hooks, logger, clock } = kernel;
  return startSyncScheduler({
    store,
    sources: syncedSources(kernel, stored),
    logger: tracedLogger(logger, tracer),
    tracer,
    clock,
    ...documentRules(kernel),
    scratch,
    completed: async (record) => {
      metrics.recordSync(record);
      await hooks.syncCompleted(record);
    },
  });
}

/** Runs the sources from the API, whichever replica received them. */
async function startRoster(store: Store, kernel: Kernel, scheduler: SyncScheduler): Promise<SourceRoster> {
  const { logger, clock } = kernel;
  return startSourceRoster({
    store,
    scheduler,
    create: async ({ kind, block }, name) => await kernel.createSource({ name, kind, block }),
    logger,
    clock,
  });
}

interface Served {
  readonly pages: readonly PageRoute[];
  readonly store: Store;
  readonly kernel: Kernel;
  readonly tracer: Tracer | undefined;
  readonly metrics: ServerMetrics;
  readonly version: VersionInfo;
  readonly scheduler: SyncScheduler;
  readonly roster: SourceRoster;
}

async function listen(served: Served): Promise<RunningRegistryServer> {
  const { pages, store, kernel, tracer, metrics, version, scheduler, roster } = served;
  const { config, hooks, middleware, logger, clock } = kernel;
  const reader = createRegistryReader(store);
  const access = serverAccess(kernel);
  if (access().policy.mode === 'auth-only') logger.warn({}, AUTH_ONLY_WARNING);
  return await startRegistryServer({
    reader,
    admin: createRegistryAdmin(store, { clock, ...documentRules(kernel) }),
    sourceMaking: sourceMaking(kernel, roster, scheduler),
    access,
    hooks,
    middleware,
    logger: tracedLogger(logger, tracer),
    tracer,
    clock,
    config: config.server,
    version,
    metrics,
    pages,
    recent: await rememberRequests(kernel, pages),
    readiness: () => databaseReadiness(reader, store, logger),
  });
}

/** Records recent requests for superAdmins when the audit log or pages are enabled. */
async function rememberRequests(
  { middleware, clock }: Kernel,
  pages: readonly PageRoute[],
): Promise<RecentEvents | undefined> {
  const isAudited = middleware.some(({ kind, block }) => kind.kind === 'audit' && block['enabled'] === true);
  if (!isAudited && pages.length === 0) return undefined;
  return new RecentEvents(clock);
}

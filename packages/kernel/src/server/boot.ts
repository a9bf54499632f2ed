import { findAnyRoute, openFetch, openHostFetch } from '@portolan/outbound';
import { type Logger, type PluginContext, UndoStack } from '@portolan/plugin-api';
import { ApiSources } from './api-sources/api-sources.ts';
import { ReachLimits } from './api-sources/reach-limits.ts';
import { SourceKinds } from './api-sources/source-kinds.ts';
import { AuthSlot, nameOf } from './auth-slot.ts';
import type { BootOptions } from '../validation/boot-options.ts';
import {
  createAuth,
  createMiddleware,
  createPages,
  createSources,
  createTelemetry,
  type InstanceInput,
} from './create-instances.ts';
import type { CreationContext } from '../kinds/create-instance.ts';
import { createHooks } from '../hooks/create-hooks.ts';
import { runnableHooks } from '../hooks/run-hooks.ts';
import { tappableFor } from '../hooks/tappable-hooks.ts';
import type { Kernel } from './kernel.ts';
import { createLogger } from '../logging/logger.ts';
import { PluginApplier } from '../plugins/apply-plugins.ts';
import { builtInPlugin } from '../plugins/built-in-plugin.ts';
import { loadShipped, lookUpFrom } from '../kinds/load-kinds.ts';
import { type ReadConfiguration, readConfiguration } from '../validation/read-configuration.ts';
import { configurationTaker } from './reload-all.ts';
import { reloadAuth } from './reload-auth.ts';
import { SourceSlot } from './source-slot.ts';
import { SecretValues } from '../logging/secret-values.ts';
import { withFields } from '../logging/with-fields.ts';
import { withinTime } from '../lifetime/within-time.ts';

/**
 * Boots a registry server: findConfig → resolvePlugins → readManifests → checkApiVersions → importPlugins →
 * collectKinds → composeSchema → validateConfig (all in `readConfiguration`) → createInstances → applyPlugins
 * → ready. No plugin code runs before its version is checked, and no instance exists before the whole
 * configuration is valid. On failure everything opened is closed. Throws ERR_CONFIG_*, ERR_PLUGIN_* and
 * ERR_PROXY_INVALID, or the reason of the signal.
 */
export async function bootKernel(options: BootOptions): Promise<Kernel> {
  const { environment, clock = () => new Date(), nowMs = () => performance.now(), signal } = options;
  const { pluginTimeoutMs: limitMs } = options;
  const secrets = new SecretValues();
  const logger = options.logger ?? (await loggerOf(options, secrets));
  const opened = new UndoStack(logger);
  try {
    const read = await readConfiguration(options, secrets);
    const { loaded, plugins, kinds, validated } = read;
    for (const warning of validated.warnings) logger.warn({ warning }, 'the configuration has a warning');
    const hooks = createHooks(logger, limitMs);
    const fetch = options.fetch ?? (await fetchOfHost(environment, opened));
    const { directory } = loaded;
    const shared = { clock, nowMs, fetch, openFetch, findRoute: findAnyRoute(environment), environment };
    const contextFor = (plugin: string): PluginContext => ({
      ...shared,
      hooks: tappableFor(plugin, hooks),
      logger: withFields(logger, { plugin }),
      directory,
      trustsLoopback: true,
    });
    const around: CreationContext = { contextFor, secrets, limitMs, logger };
    const instances = await createInstances({ ...around, validated, kinds, opened });
    signal?.throwIfAborted();
    const applier = new PluginApplier({ ...around, opened });
    await applier.apply((options.builtIn?.(validated.config) ?? []).map(builtInPlugin));
    await applier.apply(plugins, validated.optionsOf);
    signal?.throwIfAborted();
    const { auth, sources, ...rest } = instances;
    const reloading = { ...around, options, atStart: read, auth, applier };
    return {
      config: validated.config,
      configFile: loaded.file,
      directory,
      kinds,
      hooks: runnableHooks(hooks, logger),
      logger,
      get sources() {
        return sources.current;
      },
      ...rest,
      get auth() {
        return auth.current;
      },
      get authProvider() {
        return auth.current.provider;
      },
      clock,
      contextFor,
      ...apiSources(options, read, around, applier),
      reopen: () => reopenAll(rest.middleware, logger, limitMs),
      reloadAuth: inTurn(() => reloadAuth(reloading)),
      reload: configurationTaker({ ...reloading, sources }),
      close: () => opened.run(),
    };
  } catch (error) {
    await opened.run();
    throw error;
  }
}

async function loggerOf(
  { environment, logDestination: destination, debug }: BootOptions,
  secrets: SecretValues,
): Promise<Logger> {
  return await createLogger({ environment, destination, debug, secrets });
}

async function fetchOfHost(
  environment: BootOptions['environment'],
  opened: UndoStack,
): Promise<typeof globalThis.fetch> {
  const host = await openHostFetch(environment);
  opened.push('connections through proxies', () => host.close());
  return host.fetch;
}

async function createInstances(input: InstanceInput) {
  const sources = new SourceSlot(input.logger, input.limitMs);
  await sources.replace(await createSources(input));
  input.opened.push('sources', () => sources.close());
  const auth = new AuthSlot(await createAuth(input), input.logger, input.limitMs);
  input.opened.push(nameOf(auth.current), () => auth.close());
  return {
    sources,
    auth,
    middleware: await createMiddleware(input),
    telemetry: await createTelemetry(input),
    pages: await createPages(input),
  };
}

function apiSources(
  options: BootOptions,
  { loaded, kinds, validated }: ReadConfiguration,
  around: CreationContext,
  applier: PluginApplier,
): Pick<Kernel, 'sourceKinds' | 'describeSourceKinds' | 'checkSource' | 'createSource'> {
  const shipped = options.shipped?.sources ?? {};
  const sourceKinds = new SourceKinds(kinds.sources, shipped, async (packageName) => {
    const plugin = await loadShipped(packageName, lookUpFrom(loaded), options);
    await applier.apply([plugin]);
    return plugin;
  });
  const limits = new ReachLimits(validated.config.apiSources, loaded.directory);
  const made = new ApiSources({ ...around, kinds: sourceKinds, limits, directory: loaded.directory });
  return {
    sourceKinds: sourceKinds.names,
    describeSourceKinds: () => made.describeKinds(),
    checkSource: (name, definition) => made.check(name, definition),
    createSource: (source) => made.create(source),
  };
}

async function reopenAll(
  middleware: Kernel['middleware'],
  logger: Kernel['logger'],
  limitMs?: number,
): Promise<void> {
  for (const { kind, handler } of middleware) {
    try {
      await withinTime(() => handler.reopen?.(), limitMs);
    } catch (error) {
      logger.error({ part: `the middleware "${kind.kind}"`, error }, 'reopening a part failed');
    }
  }
}

/** Serializes a function: each call starts when the previous one has settled. */
function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(run, run);
    last = next;
    return next;
  };
}

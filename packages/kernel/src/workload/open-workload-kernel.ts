import { resolve } from 'node:path';
import {
  type Logger,
  type PluginContext,
  UndoStack,
  type ContainerSpec,
  type Hooks,
} from '@portolan/plugin-api';
import type { Block } from '../config/plain-data.ts';
import { createHooks } from '../hooks/create-hooks.ts';
import { tappableFor } from '../hooks/tappable-hooks.ts';
import { PluginApplier } from '../plugins/apply-plugins.ts';
import { builtInPlugin } from '../plugins/built-in-plugin.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import { loadKinds, loadShipped, lookUpFrom } from '../kinds/load-kinds.ts';
import { SecretValues } from '../logging/secret-values.ts';
import { withFields } from '../logging/with-fields.ts';
import { emptyBlock } from './empty-block.ts';
import { InstanceMaker } from './instance-maker.ts';
import { WorkloadKindFinder } from './kind-finder.ts';
import type { WorkloadConfiguration } from './read-workload-config.ts';
import type { WorkloadKernel, WorkloadKernelOptions, WorkloadKernelHooks } from './workload-kernel.ts';
import { deepFreeze } from '../hooks/deep-freeze.ts';

/**
 * Boots the small kernel of workload commands and supervisors. Loads configuration code only when a
 * configuration is used, and a built-in package only on first use. On failure, closes everything that was
 * opened. Throws ERR_CONFIG_* and ERR_PLUGIN_*, or the reason of the signal.
 */
export async function openWorkloadKernel(options: WorkloadKernelOptions): Promise<WorkloadKernel> {
  const { environment, configFile, shipped, signal } = options;
  const {
    clock = () => new Date(),
    nowMs = () => performance.now(),
    fetch = globalThis.fetch,
    pluginTimeoutMs: limitMs,
  } = options;
  const secrets = options.secrets ?? new SecretValues();
  const logger = options.logger ?? (await loggerOf(options, secrets));
  const opened = new UndoStack(logger);
  try {
    const read = await readPlugins(options, secrets);
    const { directory } = read;
    const hooks = createHooks(logger, limitMs);
    const contextFor = (plugin: string): PluginContext => ({
      hooks: tappableFor(plugin, hooks),
      logger: withFields(logger, { plugin }),
      clock,
      nowMs,
      fetch,
      // Loaded on demand, because few commands send requests.
      openFetch: async (settings) => await (await import('@portolan/outbound')).openFetch(settings),
      findRoute: async (target) =>
        await (await import('@portolan/outbound')).findAnyRoute(environment)(target),
      environment,
      directory,
      trustsLoopback: false,
    });
    const around = { contextFor, secrets, limitMs, logger, opened };
    const applier = new PluginApplier(around);
    await applier.apply((options.builtIn ?? []).map(builtInPlugin));
    await applier.apply(read.plugins, read.optionsOf);
    signal?.throwIfAborted();
    const finder = new WorkloadKindFinder(read.kinds, shipped, async (packageName) => {
      const plugin = await loadShipped(packageName, lookUpFrom({ file: configFile, directory }), options);
      await applier.apply([plugin]);
      return plugin;
    });
    const maker = new InstanceMaker({ ...around, finder, settings: read.settings, configFile, directory });
    return {
      configFile,
      directory,
      kinds: finder.names,
      logger,
      hooks: workloadHooks(hooks),
      contextFor,
      ...creatorsOf(maker),
      close: () => opened.run(),
    };
  } catch (error) {
    await opened.run();
    throw error;
  }
}

async function loggerOf(
  { environment, logDestination: destination, debug }: WorkloadKernelOptions,
  secrets: SecretValues,
): Promise<Logger> {
  const { createLogger } = await import('../logging/logger.ts');
  return await createLogger({ environment, destination, debug, secrets });
}

function creatorsOf(
  maker: InstanceMaker,
): Pick<WorkloadKernel, Extract<keyof WorkloadKernel, `create${string}` | `check${string}`>> {
  return {
    createRuntime: (name) => maker.createRuntime(name),
    createTransport: (name) => maker.createTransport(name),
    createScheme: (name) => maker.createScheme(name),
    checkAuthProvider: (name, settings) => maker.checkAuthProvider(name, settings),
    checkAuthProviderOnline: (name, settings, limit) => maker.checkAuthProviderOnline(name, settings, limit),
    createAuthProvider: (name, settings) => maker.createAuthProvider(name, settings),
    createProxyMiddleware: (name, context, settings) => maker.createProxyMiddleware(name, context, settings),
    checkProxyMiddleware: (name, settings) => maker.checkProxyMiddleware(name, settings),
    createOutgoingCredentials: (name, context, settings) =>
      maker.createOutgoingCredentials(name, context, settings),
    checkOutgoingCredentials: (name, settings) => maker.checkOutgoingCredentials(name, settings),
    createSessionStore: (context) => maker.createSessionStore(context),
    checkSessionStore: (address) => maker.checkSessionStore(address),
    createSecretStore: (name, context) => maker.createSecretStore(name, context),
    createToolIndex: (name) => maker.createToolIndex(name),
    checkToolIndex: (name) => maker.checkToolIndex(name),
  };
}

async function readPlugins(
  options: WorkloadKernelOptions,
  secrets: SecretValues,
): Promise<WorkloadConfiguration> {
  const { configFile } = options;
  if (configFile !== undefined) {
    const { readWorkloadConfig } = await import('./read-workload-config.ts');
    return await readWorkloadConfig(configFile, options, secrets);
  }
  const directory = resolve(options.directory ?? '.');
  const nothing = { file: undefined, directory, value: undefined };
  const loaded = await loadKinds(nothing, [], options, { everyInstalled: true });
  const optionsOf = new Map<LoadedPlugin, Block>();
  for (const plugin of loaded.plugins) {
    const { options: block } = plugin.plugin;
    const place = ['plugins', plugin.specifier];
    optionsOf.set(plugin, block === undefined ? {} : await emptyBlock(block, place, false, configFile));
  }
  return { ...loaded, directory, optionsOf, settings: {} };
}

/** Returns functions that run the hooks of a workload. Taps that are added after this call run too. */
function workloadHooks(hooks: Hooks): WorkloadKernelHooks {
  return {
    containerStart: async (spec, check) => {
      let current = spec;
      // Runs one tap after the other, so that an error can name the plugin that weakened isolation.
      for (const { name, fn } of hooks.containerStart.taps) {
        const guarded = fn as (containerSpec: ContainerSpec) => Promise<ContainerSpec>; // see `guardWaterfall`
        // Copies the result, because a tap may retain it and change it after the check.
        current = plainCopy(await guarded(deepFreeze(structuredClone(current))));
        check?.(current, name);
      }
      return current;
    },
    containerExit: async (exit) => await hooks.containerExit.promise(deepFreeze({ ...exit })),
  };
}

/** Copies a container spec. The guard has checked that it contains only maps, lists and scalars. */
function plainCopy(spec: ContainerSpec): ContainerSpec {
  return structuredClone(spec);
}

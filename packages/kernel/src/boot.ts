import type { PluginContext } from '@portolan/plugin-api';
import type { BootOptions } from './boot-options.ts';
import { createInstances } from './create-instances.ts';
import { createHooks } from './hooks/create-hooks.ts';
import { runnableHooks } from './hooks/run-hooks.ts';
import { tappableFor } from './hooks/tappable-hooks.ts';
import type { Kernel } from './kernel.ts';
import { createLogger, withFields } from './logger.ts';
import { applyPlugins } from './plugins/apply-plugins.ts';
import { readConfiguration } from './read-configuration.ts';
import { SecretValues } from './secret-values.ts';
import { UndoStack } from './undo-stack.ts';

/**
 * Boots: findConfig → resolvePlugins → readManifests → checkApiVersions →
 * importPlugins → collectKinds → composeSchema → validateConfig (all in
 * `readConfiguration`) → createInstances → applyPlugins → ready. Nothing of a
 * plugin runs before its version is known, nothing exists before the whole
 * configuration is checked, and a plugin that does not load stops the boot.
 * Throws ERR_CONFIG_* and ERR_PLUGIN_*, or the reason of the signal; what was
 * opened until then is closed.
 */
export async function bootKernel(options: BootOptions): Promise<Kernel> {
  const { environment, clock = () => new Date(), fetch = globalThis.fetch, signal } = options;
  const { pluginTimeoutMs: limitMs } = options;
  const secrets = new SecretValues();
  const logger =
    options.logger ??
    (await createLogger({ environment, destination: options.logDestination, debug: options.debug, secrets }));
  const opened = new UndoStack(logger);
  try {
    const { found, plugins, kinds, validated } = await readConfiguration(options, secrets);
    for (const warning of validated.warnings) logger.warn({ warning }, 'the configuration has a warning');
    const hooks = createHooks(logger, limitMs);
    const contextFor = (plugin: string): PluginContext => ({
      hooks: tappableFor(plugin, hooks),
      logger: withFields(logger, { plugin }),
      clock,
      fetch,
      directory: found.directory,
    });
    const instances = await createInstances({ validated, kinds, contextFor, opened, secrets, limitMs });
    signal?.throwIfAborted();
    await applyPlugins({ plugins, optionsOf: validated.optionsOf, contextFor, opened, secrets, limitMs });
    signal?.throwIfAborted();
    return {
      config: validated.config,
      configFile: found.file,
      directory: found.directory,
      kinds,
      hooks: runnableHooks(hooks, logger),
      logger,
      ...instances,
      clock,
      contextFor,
      close: () => opened.run(),
    };
  } catch (error) {
    await opened.run();
    throw error;
  }
}

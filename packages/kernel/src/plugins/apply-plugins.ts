import type { Logger, PluginContext, UndoStack } from '@portolan/plugin-api';
import type { Block } from '../config/plain-data.ts';
import { closeLate } from '../lifetime/close-late.ts';
import { pluginApply } from './plugin-errors.ts';
import type { SecretValues } from '../logging/secret-values.ts';
import { withinTime } from '../lifetime/within-time.ts';
import type { LoadedPlugin } from './import-plugin.ts';

export interface ApplyInput {
  readonly contextFor: (plugin: string) => PluginContext;
  readonly opened: UndoStack;
  readonly secrets: SecretValues;
  readonly limitMs: number | undefined;
  readonly logger: Logger;
}

export class PluginApplier {
  readonly #input: ApplyInput;
  readonly #applied = new Set<string>();

  constructor(input: ApplyInput) {
    this.#input = input;
  }

  /**
   * Applies plugins in order, each once. Records the `close` function of each applied plugin. A plugin whose
   * `apply` completes after the timeout is closed at once. Throws ERR_PLUGIN_CREATE.
   */
  async apply(
    plugins: readonly LoadedPlugin[],
    optionsOf: ReadonlyMap<LoadedPlugin, Block> = new Map(),
  ): Promise<void> {
    const { contextFor, opened, secrets, limitMs, logger } = this.#input;
    for (const loaded of plugins) {
      const { plugin, file, specifier } = loaded;
      const identity = `${file} ${specifier}`; // plugins passed as objects have no file of their own
      if (this.#applied.has(identity)) continue;
      this.#applied.add(identity);
      try {
        // The plugin's schema validated the options; without a schema there are none.
        const options = (optionsOf.get(loaded) ?? {}) as never;
        await withinTime(
          () => plugin.apply?.(contextFor(plugin.name), options),
          limitMs,
          () => closeLate(plugin, `the plugin "${plugin.name}"`, logger, limitMs),
        );
      } catch (error) {
        this.#applied.delete(identity);
        throw pluginApply({ plugin: plugin.name, file }, secrets.maskThrown(error));
      }
      opened.push(`the plugin "${plugin.name}"`, () => withinTime(() => plugin.close?.(), limitMs));
    }
  }
}

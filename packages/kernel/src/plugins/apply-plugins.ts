import type { PluginContext } from '@portolan/plugin-api';
import type { ValidatedConfig } from '../config/assemble-config.ts';
import { pluginApply } from '../errors.ts';
import type { SecretValues } from '../secret-values.ts';
import type { UndoStack } from '../undo-stack.ts';
import { withinTime } from '../within-time.ts';
import type { LoadedPlugin } from './import-plugin.ts';

export interface ApplyInput {
  readonly plugins: readonly LoadedPlugin[];
  readonly optionsOf: ValidatedConfig['optionsOf'];
  readonly contextFor: (plugin: string) => PluginContext;
  readonly opened: UndoStack;
  readonly secrets: SecretValues;
  readonly limitMs: number | undefined;
}

/**
 * Calls `apply` of each plugin once, in the order of the configuration, shipped
 * ones first. The `close` of one whose `apply` came through, or that has none, is
 * remembered. Throws ERR_PLUGIN_APPLY.
 */
export async function applyPlugins({
  plugins,
  optionsOf,
  contextFor,
  opened,
  secrets,
  limitMs,
}: ApplyInput): Promise<void> {
  for (const loaded of plugins) {
    const { plugin, file } = loaded;
    try {
      // The options were checked by the plugin's own schema; without one there are none.
      const options = (optionsOf.get(loaded) ?? {}) as never;
      await withinTime(() => plugin.apply?.(contextFor(plugin.name), options), limitMs);
    } catch (error) {
      throw pluginApply({ plugin: plugin.name, file }, secrets.maskThrown(error));
    }
    opened.push(`the plugin "${plugin.name}"`, () => withinTime(() => plugin.close?.(), limitMs));
  }
}

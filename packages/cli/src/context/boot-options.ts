import type { BootOptions } from '@portolan/kernel';
import { findInstalledPlugins } from './installed-plugins.ts';
import { SHIPPED_FROM, SHIPPED_KINDS } from './shipped-plugins.ts';

export interface ConfigFlags {
  readonly config: string | undefined;
  readonly debug: boolean;
}

/**
 * Returns the options for booting the kernel: the named configuration, else one found from the working
 * directory upwards; the environment; the shipped kinds; the installed plugins. Throws ERR_PLUGIN_SHAPE.
 */
export async function bootOptions(
  { config, debug }: ConfigFlags,
  settings: BootOptions['flags'] = {},
): Promise<BootOptions> {
  return {
    ...(config === undefined ? { searchFrom: process.cwd() } : { configFile: config }),
    environment: process.env,
    shipped: SHIPPED_KINDS,
    shippedFrom: SHIPPED_FROM,
    installed: await findInstalledPlugins(process.env),
    flags: settings,
    debug,
  };
}

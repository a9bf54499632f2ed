import type { BootOptions } from '@portolan/kernel';
import { SHIPPED_FROM, SHIPPED_KINDS } from './shipped-plugins.ts';

export interface ConfigFlags {
  readonly config: string | undefined;
  readonly debug: boolean;
}

/**
 * What the kernel is booted with: the named configuration, else a search from
 * the working directory upwards; the environment; the kinds that are shipped.
 */
export function bootOptions(
  { config, debug }: ConfigFlags,
  settings: BootOptions['flags'] = {},
): BootOptions {
  return {
    ...(config === undefined ? { searchFrom: process.cwd() } : { configFile: config }),
    environment: process.env,
    shipped: SHIPPED_KINDS,
    shippedFrom: SHIPPED_FROM,
    flags: settings,
    debug,
  };
}

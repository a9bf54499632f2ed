import type { PluginContext } from '@portolan/plugin-api';

/** What whoever asks a registry takes from its surroundings. */
export interface ConnectionContext {
  /** Whose proxies are used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openFetch: PluginContext['openFetch'];
  /** Of Portolan, for the log of the registry. */
  readonly version: string;
}

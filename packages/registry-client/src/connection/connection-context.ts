import type { PluginContext } from '@portolan/plugin-api';

export interface ConnectionContext {
  /** Environment with the proxy settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openFetch: PluginContext['openFetch'];
  /** Version of Portolan, for the registry's log. */
  readonly version: string;
}

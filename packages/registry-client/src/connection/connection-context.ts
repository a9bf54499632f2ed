import type { PluginContext } from '@portolan/plugin-api';

export interface ConnectionContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openFetch: PluginContext['openFetch'];
  /** Version of Portolan, for the registry's log. */
  readonly version: string;
}

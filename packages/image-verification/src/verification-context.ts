import type { Logger, PluginContext, RegistryCredentials } from '@portolan/plugin-api';
import type { UserSettings } from '@portolan/run-spec';

export interface VerificationContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openFetch: PluginContext['openFetch'];
  readonly logger: Logger;
  readonly user: Pick<UserSettings, 'githubTrustRoot'>;
  readonly findCredentials: (
    reference: string,
    signal: AbortSignal | undefined,
  ) => Promise<RegistryCredentials | undefined>;
  /** Returns an existing folder for temporary subfolders. */
  readonly openCache: () => Promise<string>;
}

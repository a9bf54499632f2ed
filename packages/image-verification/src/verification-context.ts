import type { Logger, PluginContext, RegistryCredentials } from '@portolan/plugin-api';
import type { UserSettings } from '@portolan/run-spec';

/** What the verification of images takes from its surroundings. */
export interface VerificationContext {
  /** Whose proxies are used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openFetch: PluginContext['openFetch'];
  readonly logger: Logger;
  readonly user: Pick<UserSettings, 'githubTrustRoot'>;
  /** Login for the registry of an image; undefined when there is none. */
  readonly findCredentials: (
    reference: string,
    signal: AbortSignal | undefined,
  ) => Promise<RegistryCredentials | undefined>;
  /** The folder below which others are made and removed again; it is there. */
  readonly openCache: () => Promise<string>;
}

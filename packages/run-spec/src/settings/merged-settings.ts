import type { JsonObject } from '@portolan/plugin-api';
import type { SecretReference } from '../parse/secret-reference.ts';
import type { ChosenProfile } from '../permissions/permission-profile.ts';
import type { SecretToStore } from '../registry-entry/entry-templates.ts';
import type { ProxyMode, StdioSessions } from '../run-config/choices.ts';
import type { Carries } from '../run-config/transports.ts';
import type { HeaderForward, OidcConfig, RuntimeConfig } from '../run-config/parts.ts';
import type { EntryVolume } from './entry-runtime.ts';
import type { PlainContainerSettings, PlainRemoteSettings, PlainSettings } from './plain-settings.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { Setting } from './setting.ts';

/** Settings of a workload, each with its origin. Free ports are not yet chosen. */
export interface MergedSettings extends PlainSettings {
  readonly name: Setting<string>;
  readonly labels: Setting<Readonly<Record<string, string>>>;
  readonly args: Setting<readonly string[]>;
  readonly environment: ReadonlyMap<string, Setting<string>>;
  readonly secrets: Setting<readonly SecretReference[]>;
  readonly inlineSecrets: readonly SecretReference[];
  /** Secrets that must be stored before references to them are valid. */
  readonly secretsToStore: readonly SecretToStore[];
  /** Container settings; undefined for a remote server. */
  readonly container: ContainerSettings | undefined;
  readonly remote: RemoteSettings | undefined;
  /** Transport; undefined when it depends on an image that was not inspected. */
  readonly transport: Setting<string> | undefined;
  readonly carries: Carries | undefined;
  readonly proxyMode: Setting<ProxyMode> | undefined;
  readonly targetPort: Setting<number> | undefined;
  readonly targetPath: Setting<string> | undefined;
  readonly targetHost: Setting<string>;
  readonly stdioSessions: Setting<StdioSessions>;
  readonly tokenExchangeSecret: Setting<string> | undefined;
  readonly policyFields: ReadonlyMap<keyof RunConfig, Setting<unknown>>;
  /** Client secret in plain text or as a reference. */
  readonly clientSecret: Setting<string> | undefined;
  readonly oidc: OidcConfig | undefined;
  readonly warnings: readonly string[];
}

export interface ContainerSettings extends PlainContainerSettings {
  /** Headers that are added to each request to an HTTP server. */
  readonly headers: Setting<HeaderForward>;
  /** Permission profile, including volumes and network mode of the flags. */
  readonly profile: ChosenProfile;
  /** Volumes of the registry entry, which `profile` already contains. */
  readonly entryVolumes: readonly EntryVolume[];
  readonly network: Setting<string>;
  readonly isolateNetwork: Setting<boolean>;
  readonly runtime: Setting<RuntimeConfig | undefined>;
}

export interface RemoteSettings {
  readonly url: string;
  readonly headers: Setting<HeaderForward>;
  readonly auth: PlainRemoteSettings;
  /** Login settings of the entry, in the names of the run config; flags take precedence. */
  readonly entryAuth: JsonObject;
  /** Client secret, in plain text or by reference; undefined for none. Never shown. */
  readonly clientSecret: string | undefined;
  readonly bearerToken: string | undefined;
}

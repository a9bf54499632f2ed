import type { JsonObject } from '@portolan/plugin-api';
import type { SecretReference } from '../parse/secret-reference.ts';
import type { ChosenProfile } from '../permissions/permission-profile.ts';
import type { SecretToStore } from '../registry-entry/fill-server-settings.ts';
import type { ProxyMode, StdioSessions } from '../run-config/choices.ts';
import type { Carries } from '../run-config/transports.ts';
import type { HeaderForward, OidcConfig, RuntimeConfig } from '../run-config/parts.ts';
import type { EntryVolume } from './entry-runtime.ts';
import type { PlainContainerSettings, PlainRemoteSettings, PlainSettings } from './plain-settings.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { Setting } from './setting.ts';

/** The settings of a workload, each with where it is from. Ports that have to be free are not chosen yet. */
export interface MergedSettings extends PlainSettings {
  readonly name: Setting<string>;
  readonly labels: Setting<Readonly<Record<string, string>>>;
  readonly args: Setting<readonly string[]>;
  readonly environment: ReadonlyMap<string, Setting<string>>;
  readonly secrets: Setting<readonly SecretReference[]>;
  /** Secrets that replace `$(TARGET)` in the arguments and the URL. */
  readonly inlineSecrets: readonly SecretReference[];
  /** What has to be stored before the references to it hold. */
  readonly secretsToStore: readonly SecretToStore[];
  /** What runs: undefined for a remote server. */
  readonly container: ContainerSettings | undefined;
  readonly remote: RemoteSettings | undefined;
  /** Undefined while the rule has to see an image. */
  readonly transport: Setting<string> | undefined;
  /** What that transport carries. */
  readonly carries: Carries | undefined;
  readonly proxyMode: Setting<ProxyMode> | undefined;
  /** Port that is asked for by flag or entry. */
  readonly targetPort: Setting<number> | undefined;
  /** Path and query of the endpoint that flag or entry name. */
  readonly targetPath: Setting<string> | undefined;
  readonly targetHost: Setting<string>;
  readonly stdioSessions: Setting<StdioSessions>;
  /** With which tokens are exchanged, or a reference to it. */
  readonly tokenExchangeSecret: Setting<string> | undefined;
  /** What files of policies say, by field of the run config. */
  readonly policyFields: ReadonlyMap<keyof RunConfig, Setting<unknown>>;
  /** In clear, or a reference; undefined where there is none. */
  readonly clientSecret: Setting<string> | undefined;
  /** Who may call, the secret included. */
  readonly oidc: OidcConfig | undefined;
  readonly warnings: readonly string[];
}

export interface ContainerSettings extends PlainContainerSettings {
  /** With the volumes and the network mode of the flags. */
  readonly profile: ChosenProfile;
  /** Volumes of the runtime arguments of an entry; the profile has them already. */
  readonly entryVolumes: readonly EntryVolume[];
  readonly network: Setting<string>;
  readonly isolateNetwork: Setting<boolean>;
  readonly runtime: Setting<RuntimeConfig | undefined>;
}

export interface RemoteSettings {
  readonly url: string;
  readonly headers: Setting<HeaderForward>;
  readonly auth: PlainRemoteSettings;
  /** How to log in as the entry has it, in the names of the run config; flags stand above it. */
  readonly entryAuth: JsonObject;
  /** What proves it, in clear or by reference; undefined where nothing was given. Never shown. */
  readonly clientSecret: string | undefined;
  readonly bearerToken: string | undefined;
}

import type { RunTarget } from '../target/classify-target.ts';
import type { PathContext } from '../parse/volume.ts';
import type { SecretReference } from '../parse/secret-reference.ts';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import type { FilledSettings } from '../registry-entry/fill-server-settings.ts';
import type { ServerSettings } from '../registry-entry/server-settings.ts';
import type { KnownTransports } from '../run-config/transports.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { RunFlagName } from './run-flags.ts';
import type { RunRequest } from './run-request.ts';
import type { Setting } from './setting.ts';
import type { UserSettings } from './user-settings.ts';

/** Everything that settings are merged from, already read. */
export interface MergeInput {
  readonly request: RunRequest;
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  readonly entry: { readonly server: ServerSettings; readonly filled: FilledSettings } | undefined;
  /** Named like the entry's inputs. */
  readonly storedSecrets?: readonly SecretReference[];
  readonly user: UserSettings;
  readonly transports: KnownTransports;
  readonly environment: ReadonlyMap<string, Setting<string>>;
  /** Profile from the file of `--permission-profile`; undefined for a built-in one. */
  readonly profileFile: PermissionProfile | undefined;
  /** Fields of the run config from policy files, with the flag that names each. */
  readonly policyFiles?: readonly { readonly flag: RunFlagName; readonly fields: Partial<RunConfig> }[];
  /** Token exchange secret from a file or the environment; the latter may be for other programs. */
  readonly tokenExchangeSecret?:
    | { readonly value: string; readonly by: string; readonly isGiven: boolean }
    | undefined;
  /** Introspection client secret from the environment, and its variable. */
  readonly oidcClientSecret?: { readonly value: string; readonly by: string } | undefined;
  /** Ports that the image exposes; undefined while unknown. */
  readonly exposedPorts: readonly number[] | undefined;
  readonly context: PathContext;
  readonly clock: () => Date;
}

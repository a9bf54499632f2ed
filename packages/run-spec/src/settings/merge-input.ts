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

/** Input of `mergeSettings`, with all files already read. */
export interface MergeInput {
  readonly request: RunRequest;
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  readonly entry: { readonly server: ServerSettings; readonly filled: FilledSettings } | undefined;
  /** References to stored secrets that have the names of the entry's inputs. */
  readonly storedSecrets?: readonly SecretReference[];
  readonly user: UserSettings;
  readonly transports: KnownTransports;
  readonly environment: ReadonlyMap<string, Setting<string>>;
  /** Profile from the file of `--permission-profile`; undefined for a built-in profile. */
  readonly profileFile: PermissionProfile | undefined;
  /** Run config fields from policy files, with the flag that names each file. */
  readonly policyFiles?: readonly { readonly flag: RunFlagName; readonly fields: Partial<RunConfig> }[];
  /**
   * Client secret for the token exchange, from a file or the environment. A secret of the environment may be
   * meant for other programs.
   */
  readonly tokenExchangeSecret?:
    | { readonly value: string; readonly by: string; readonly isGiven: boolean }
    | undefined;
  /** Client secret for token introspection from the environment, with the name of its variable. */
  readonly oidcClientSecret?: { readonly value: string; readonly by: string } | undefined;
  /** Ports that the image exposes; undefined when the image has not been inspected. */
  readonly exposedPorts: readonly number[] | undefined;
  /** Name and group that a members file states. Flags take precedence. */
  readonly membersFile?:
    | { readonly name?: string | undefined; readonly group?: string | undefined }
    | undefined;
  readonly context: PathContext;
  readonly clock: () => Date;
}

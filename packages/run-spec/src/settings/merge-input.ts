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

/** Everything that settings are merged from; all of it was read before. */
export interface MergeInput {
  readonly request: RunRequest;
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  /** The registry entry, when the target is one, and what was filled into it. */
  readonly entry: { readonly server: ServerSettings; readonly filled: FilledSettings } | undefined;
  /** Secrets of the store that inputs of the entry are named like. */
  readonly storedSecrets?: readonly SecretReference[];
  readonly user: UserSettings;
  readonly transports: KnownTransports;
  /** Variables of `-e` and env files. */
  readonly environment: ReadonlyMap<string, Setting<string>>;
  /** The profile of the file that `--permission-profile` names; undefined for a built-in one. */
  readonly profileFile: PermissionProfile | undefined;
  /** Fields of the run config that files of policies fill, and the flag that names each. */
  readonly policyFiles?: readonly { readonly flag: RunFlagName; readonly fields: Partial<RunConfig> }[];
  /** The secret with which tokens are exchanged, of a file or the environment; what stands in that may be for others. */
  readonly tokenExchangeSecret?:
    | { readonly value: string; readonly by: string; readonly isGiven: boolean }
    | undefined;
  /** Of the environment, and the variable that has it: the secret of the client that asks about tokens. */
  readonly oidcClientSecret?: { readonly value: string; readonly by: string } | undefined;
  /** Ports that the image exposes; undefined while it is not known. */
  readonly exposedPorts: readonly number[] | undefined;
  readonly context: PathContext;
  readonly clock: () => Date;
}

import {
  type PermissionProfile,
  type RunFlags,
  type Setting,
  findBuiltInProfile,
  mergeEnvironment,
} from '@portolan/run-spec';
import { readEnvironmentFile, readEnvironmentFolder } from './read-environment.ts';
import { readPermissionProfile } from './read-permission-profile.ts';
import { nameFlag } from '../name-flag.ts';
import { type FilePlaces, pathOf, type PolicyFile, readPolicyFiles } from './read-policy-files.ts';

/** Content of the files and variables that flags name. */
export interface RunInputs {
  readonly environment: ReadonlyMap<string, Setting<string>>;
  /** Undefined without a profile, or for a built-in one. */
  readonly profileFile: PermissionProfile | undefined;
  readonly policyFiles: readonly PolicyFile[];
  readonly warnings: readonly string[];
}

/** Reads the files that flags name. Throws the errors of the readers. */
export async function readInputs(
  flags: RunFlags,
  places: FilePlaces,
  signal: AbortSignal,
): Promise<RunInputs> {
  const { envFile, envFileDir, permissionProfile } = flags;
  const folder =
    envFileDir === undefined
      ? undefined
      : await nameFlag('envFileDir', () => readEnvironmentFolder(pathOf(envFileDir, places), signal));
  const file =
    envFile === undefined
      ? undefined
      : await nameFlag('envFile', () => readEnvironmentFile(pathOf(envFile, places), signal));
  const environment = mergeEnvironment({
    folder: folder?.variables ?? new Map(),
    folderName: envFileDir,
    file: file?.variables ?? new Map(),
    fileName: envFile,
    flags: flags.env ?? [],
  });
  return {
    environment,
    profileFile: await resolvePermissions(permissionProfile, places, signal),
    policyFiles: await readPolicyFiles(flags, places, signal),
    warnings: [...(folder?.warnings ?? []), ...(file?.warnings ?? [])],
  };
}

/** Reads the file of the profile; undefined for a built-in profile. */
async function resolvePermissions(
  named: string | undefined,
  places: FilePlaces,
  signal: AbortSignal,
): Promise<PermissionProfile | undefined> {
  if (named === undefined || findBuiltInProfile(named) !== undefined) return undefined;
  return await nameFlag('permissionProfile', () => readPermissionProfile(pathOf(named, places), signal));
}

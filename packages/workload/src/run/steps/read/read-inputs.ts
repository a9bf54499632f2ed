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

export interface RunInputs {
  readonly environment: ReadonlyMap<string, Setting<string>>;
  /** Content of a profile's file; undefined for a built-in profile. */
  readonly profileFile: PermissionProfile | undefined;
  readonly policyFiles: readonly PolicyFile[];
  readonly warnings: readonly string[];
}

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

async function resolvePermissions(
  named: string | undefined,
  places: FilePlaces,
  signal: AbortSignal,
): Promise<PermissionProfile | undefined> {
  if (named === undefined || findBuiltInProfile(named) !== undefined) return undefined;
  return await nameFlag('permissionProfile', () => readPermissionProfile(pathOf(named, places), signal));
}

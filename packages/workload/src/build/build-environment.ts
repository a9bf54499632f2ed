import { AUTH_FILES, type AuthFileName } from '@portolan/plugin-api';
import {
  type BuildSettings,
  BUILD_KEYS,
  expectedBuildVariable,
  expectedVariableValue,
  secretOfAuthFile,
} from '@portolan/run-spec';
import { buildVariableInvalid } from './build-errors.ts';
import { badSecretName } from '../secrets/secret-errors.ts';
import { chooseProvider } from '../secrets/choose-provider.ts';
import { openChosenStore, resolveAuthFiles, type SecretsContext } from '../secrets/resolve-secrets.ts';
import { checkSecretName } from '../secrets/secret-name.ts';
import { deleteOwnSecrets, storeSecrets } from '../secrets/store-secrets.ts';
import type { Directories } from '../state/directories.ts';
import { authFileInvalid, settingUnset } from '../state/user-config/user-config-errors.ts';
import { type SettingEdit, updateUserConfig } from '../state/user-config/update-user-config.ts';

export type BuildSettingsContext = SecretsContext & {
  readonly directories: Pick<Directories, 'config' | 'groups'>;
};

/**
 * Sets a variable for builds. Replaces an existing variable of the name, even if its value came from a secret
 * or the shell. Throws ERR_SETTING, ERR_SECRET_NAME, ERR_SECRETS_NOT_SET_UP, and like `updateUserConfig`.
 */
export async function setBuildVariable(
  name: string,
  source: BuildVariableSource,
  context: BuildSettingsContext,
  signal?: AbortSignal,
): Promise<void> {
  const expected = expectedBuildVariable(name);
  if (expected !== undefined) throw buildVariableInvalid(name, 'the name', expected);
  if (source.from === 'value') {
    const expectedValue = expectedVariableValue(source.value);
    if (expectedValue !== undefined) throw buildVariableInvalid(name, 'the value', expectedValue);
  }
  if (source.from === 'secret') {
    if (source.secret === '') throw badSecretName(source.secret);
    checkSecretName(source.secret);
    chooseProvider(context);
  }
  await updateUserConfig(
    context.directories,
    ({ build }) => [
      ...withoutVariables(build, [name], source.from === 'shell' ? [name] : []),
      ...(source.from === 'value' ? [{ path: [BUILD_KEYS.values, name], value: source.value }] : []),
      ...(source.from === 'secret' ? [{ path: [BUILD_KEYS.fromSecrets, name], value: source.secret }] : []),
    ],
    signal,
  );
}

/**
 * Removes one build variable, or all of them, and returns the removed names. Throws like `updateUserConfig`.
 */
export async function unsetBuildVariables(
  name: string | undefined,
  { directories }: Pick<BuildSettingsContext, 'directories'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  let gone: readonly string[] = [];
  await updateUserConfig(
    directories,
    ({ build }) => {
      const all = listBuildVariables(build).map((variable) => variable.name);
      gone = [...new Set(all)].filter((one) => name === undefined || one === name);
      return withoutVariables(build, gone);
    },
    signal,
  );
  return gone;
}

function withoutVariables(
  { values, fromSecrets, fromShell }: BuildSettings,
  names: readonly string[],
  added: readonly string[] = [],
): readonly SettingEdit[] {
  const left = [...fromShell.filter((name) => !names.includes(name)), ...added].toSorted();
  const isChanged = left.join() !== [...fromShell].toSorted().join();
  return [
    ...names.filter((name) => name in values).map((name) => ({ path: [BUILD_KEYS.values, name] })),
    ...names.filter((name) => name in fromSecrets).map((name) => ({ path: [BUILD_KEYS.fromSecrets, name] })),
    ...(isChanged ? [{ path: [BUILD_KEYS.fromShell], value: left.length === 0 ? undefined : left }] : []),
  ];
}

const MAX_CHARACTERS = 256 * 1024;

/**
 * Stores a credential file for builds as a secret. Throws ERR_SETTING, ERR_SECRETS_NOT_SET_UP,
 * ERR_SECRET_STORE_READ_ONLY, the errors of the store, and like `updateUserConfig`.
 */
export async function setAuthFile(
  name: AuthFileName,
  content: string,
  context: BuildSettingsContext,
  signal?: AbortSignal,
): Promise<void> {
  if (content.trim() === '') throw authFileInvalid(name, 'it is empty');
  if (content.length > MAX_CHARACTERS)
    throw authFileInvalid(name, `it is longer than ${MAX_CHARACTERS} characters`);
  if (content.includes('\0')) throw authFileInvalid(name, 'it contains a NUL character');
  const secret = secretOfAuthFile(name);
  const options = { scope: 'builds', ...(signal === undefined ? {} : { signal }) } as const;
  await storeSecrets([{ name: secret, value: content }], context, options);
  await updateUserConfig(
    context.directories,
    [{ path: [BUILD_KEYS.authFiles, name], value: secret }],
    signal,
  );
}

/**
 * Returns the content of a credential file. Throws ERR_NAME_UNKNOWN, ERR_SECRET_NOT_FOUND and the errors of
 * the store.
 */
export async function readAuthFile(
  name: AuthFileName,
  context: BuildSettingsContext,
  signal?: AbortSignal,
): Promise<string> {
  requireAuthFile(context.user.build, name);
  return (await resolveAuthFiles([name], context, signal))[name] ?? '';
}

export interface UnsetAuthFiles {
  readonly names: readonly AuthFileName[];
  /** Whether the file's content was deleted from the secret store; false when the store is read-only. */
  readonly deleted: boolean;
}

/**
 * Removes one credential file of builds, or all of them. Throws the errors of the store, and like
 * `updateUserConfig`.
 */
export async function unsetAuthFiles(
  name: AuthFileName | undefined,
  context: BuildSettingsContext,
  signal?: AbortSignal,
): Promise<UnsetAuthFiles> {
  const names = AUTH_FILES.filter(
    (one) => context.user.build.authFiles.includes(one) && (name === undefined || one === name),
  );
  if (names.length === 0) return { names, deleted: true };
  const deleted = (await openChosenStore(context)).can.includes('delete');
  if (deleted) await deleteOwnSecrets(names.map(secretOfAuthFile), 'builds', context, signal);
  await updateUserConfig(
    context.directories,
    names.map((one) => ({ path: [BUILD_KEYS.authFiles, one] })),
    signal,
  );
  return { names, deleted };
}

export type BuildVariableSource =
  | { readonly from: 'value'; readonly value: string }
  | { readonly from: 'secret'; readonly secret: string }
  | { readonly from: 'shell' };

export type BuildVariable = { readonly name: string } & BuildVariableSource;

export function listBuildVariables({
  values,
  fromSecrets,
  fromShell,
}: BuildSettings): readonly BuildVariable[] {
  const all: BuildVariable[] = [
    ...Object.entries(values).map(([name, value]) => ({ name, from: 'value' as const, value })),
    ...Object.entries(fromSecrets).map(([name, secret]) => ({ name, from: 'secret' as const, secret })),
    ...fromShell.map((name) => ({ name, from: 'shell' as const })),
  ];
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns a build variable. Throws ERR_NAME_UNKNOWN. */
export function getBuildVariable(settings: BuildSettings, name: string): BuildVariable {
  const buildVariable = listBuildVariables(settings).find((variable) => variable.name === name);
  if (buildVariable === undefined) throw settingUnset(`The variable ${name} of builds`, 'get-build-env');
  return buildVariable;
}

/** Throws ERR_NAME_UNKNOWN when the user has not set this credential file for builds. */
export function requireAuthFile({ authFiles }: BuildSettings, name: AuthFileName): void {
  if (!authFiles.includes(name)) throw settingUnset(`The file ${name} of builds`, 'get-build-auth-file');
}

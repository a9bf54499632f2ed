import { AUTH_FILES, type AuthFileName } from '@portolan/plugin-api';
import type { FieldReader } from '../document/field-reader.ts';
import { type JsonMembers, memberOf } from '../document/json-members.ts';

/** What builds of packages are given beside their context. A variable stands in one of the three. */
export interface BuildSettings {
  readonly values: Readonly<Record<string, string>>;
  /** Names of secrets, by variable. */
  readonly fromSecrets: Readonly<Record<string, string>>;
  /** Variables of the process that has something built. */
  readonly fromShell: readonly string[];
  /** Files whose content is a secret. */
  readonly authFiles: readonly AuthFileName[];
}

export const NO_BUILD_SETTINGS: BuildSettings = {
  values: {},
  fromSecrets: {},
  fromShell: [],
  authFiles: [],
};

/** Where each stands in `config.yaml`. */
export const BUILD_KEYS = {
  values: 'build_env',
  fromSecrets: 'build_env_from_secrets',
  fromShell: 'build_env_from_shell',
  authFiles: 'build_auth_files',
} as const;

/** Reads the keys of builds. Names and values are looked at when something is built. */
export function readBuildSettings(fields: FieldReader, value: JsonMembers): BuildSettings {
  const files = fields.map(memberOf(value, BUILD_KEYS.authFiles), BUILD_KEYS.authFiles);
  for (const name of Object.keys(files)) {
    if (!isAuthFile(name)) {
      fields.problem(`${BUILD_KEYS.authFiles}.${name}`, files[name], `one of ${AUTH_FILES.join(', ')}`);
    }
  }
  return {
    values: fields.textMap(value, BUILD_KEYS.values),
    fromSecrets: fields.textMap(value, BUILD_KEYS.fromSecrets),
    fromShell: fields.texts(value, BUILD_KEYS.fromShell),
    authFiles: AUTH_FILES.filter((name) => Object.hasOwn(files, name)),
  };
}

export function isAuthFile(name: string): name is AuthFileName {
  return AUTH_FILES.some((known) => known === name);
}

/** The secret that is the content of a file. */
export function secretOfAuthFile(name: AuthFileName): string {
  return `BUILD_AUTH_FILE_${name}`;
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from '@portolan/scheme-kit';
import { indexAddressInvalid, readIndexAddress } from '@portolan/scheme-kit';
import { settingsUnreadable } from './errors.ts';
import { authorizeByNpmrc, parseNpmrc } from './npmrc.ts';

export const PUBLIC_REGISTRY = 'https://registry.npmjs.org/';

export interface NpmRegistries {
  readonly usual: URL;
  /** Registries by scope, such as `@acme`. */
  readonly ofScopes: ReadonlyMap<string, URL>;
  /** Credentials for look-ups: those in the npmrc file of builds. */
  readonly authorize: IndexAuthorization;
}

/**
 * Variables take precedence over the npmrc of builds, or else over the user's `.npmrc`, and that over the
 * global one. The `.npmrc` of the working directory is ignored, because its author is not necessarily the
 * user. Throws ERR_SETTING and ERR_INDEX_SETTINGS.
 */
export async function readNpmRegistries(options: SchemeOptions): Promise<NpmRegistries> {
  const { environment, home, authFiles } = options;
  const variables = readVariables(environment);
  const npmrc = authFiles?.npmrc;
  const settings = new Map<string, string>();
  const files = [variables.get('globalconfig'), variables.get('userconfig') ?? path.join(home, '.npmrc')];
  const texts = npmrc === undefined ? await Promise.all(files.map(readOptional)) : [npmrc];
  for (const text of texts) {
    for (const [key, value] of parseNpmrc(text, environment)) settings.set(key, value);
  }
  for (const [key, value] of variables) settings.set(key, value);
  const ofScopes = new Map<string, URL>();
  for (const [key, value] of settings) {
    const scope = /^(@[^:/]+):registry$/.exec(key)?.[1];
    if (scope !== undefined) ofScopes.set(scope, requireAddress(value, key));
  }
  return {
    usual: requireAddress(settings.get('registry') ?? PUBLIC_REGISTRY, 'registry'),
    ofScopes,
    authorize: authorizeByNpmrc(parseNpmrc(npmrc ?? '', environment)),
  };
}

export function readVariables(environment: SchemeOptions['environment']): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      /^npm_config_/i.test(name) && value !== undefined && value !== ''
        ? [[keyOfVariable(name), value] as const]
        : [],
    ),
  );
}

export function registryOf({ usual, ofScopes }: NpmRegistries, name: string): URL {
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  return (scope === undefined ? undefined : ofScopes.get(scope)) ?? usual;
}

/** Returns the setting that a variable sets. npm accepts variables in any case; scopes keep theirs. */
export function keyOfVariable(name: string): string {
  const key = name.slice('npm_config_'.length);
  return key.startsWith('@') ? key : key.toLowerCase().replaceAll('_', '-');
}

async function readOptional(file: string | undefined): Promise<string> {
  if (file === undefined) return '';
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return '';
    throw settingsUnreadable(file, error);
  }
}

function requireAddress(value: string, key: string): URL {
  const address = readIndexAddress(value);
  if (address === undefined) throw indexAddressInvalid(`npm's setting ${key}`);
  return address;
}

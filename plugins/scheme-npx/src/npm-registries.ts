import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SchemeOptions } from '@portolan/plugin-api';
import { indexAddressInvalid, readIndexAddress } from '@portolan/plugin-api';
import { settingsUnreadable } from './errors.ts';

/** The registry of npm, used where no setting names another. */
export const PUBLIC_REGISTRY = 'https://registry.npmjs.org/';

export interface NpmRegistries {
  readonly usual: URL;
  /** By scope, `@acme`. */
  readonly ofScopes: ReadonlyMap<string, URL>;
}

/**
 * The registries that npm's settings name: variables before the user's `.npmrc`
 * before the global one. Credentials are left out, and so is the `.npmrc` of the
 * working directory: it is of whoever made that folder, not of the user. Throws
 * ERR_PACKAGE_INDEX_ADDRESS and ERR_NPM_SETTINGS.
 */
export async function readNpmRegistries(options: SchemeOptions): Promise<NpmRegistries> {
  const { environment, home } = options;
  const variables = new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      /^npm_config_/i.test(name) && value !== undefined && value !== ''
        ? [[keyOfVariable(name), value] as const]
        : [],
    ),
  );
  const files = [variables.get('globalconfig'), variables.get('userconfig') ?? path.join(home, '.npmrc')];
  const settings = new Map<string, string>();
  for (const file of files) {
    if (file === undefined) continue;
    for (const [key, value] of await readNpmrc(file, environment)) settings.set(key, value);
  }
  for (const [key, value] of variables) settings.set(key, value);
  const ofScopes = new Map<string, URL>();
  for (const [key, value] of settings) {
    const scope = /^(@[^:/]+):registry$/.exec(key)?.[1];
    if (scope !== undefined) ofScopes.set(scope, requireAddress(value, key));
  }
  return { usual: requireAddress(settings.get('registry') ?? PUBLIC_REGISTRY, 'registry'), ofScopes };
}

/** The registry of a package. */
export function registryOf({ usual, ofScopes }: NpmRegistries, name: string): URL {
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  return (scope === undefined ? undefined : ofScopes.get(scope)) ?? usual;
}

/** npm writes settings in variables in any spelling of case; scopes keep theirs. */
function keyOfVariable(name: string): string {
  const key = name.slice('npm_config_'.length);
  return key.startsWith('@') ? key : key.toLowerCase().replaceAll('_', '-');
}

async function readNpmrc(
  file: string,
  environment: SchemeOptions['environment'],
): Promise<readonly (readonly [key: string, value: string])[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return [];
    throw settingsUnreadable(file, error);
  }
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, written] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || written === undefined) return [];
    const plain = /^(["'])(.*)\1$/.exec(written)?.[2] ?? written;
    const value = plain.replaceAll(/\$\{([^}]+)\}/g, (whole, name: string) => environment[name] ?? whole);
    return [[key, value] as const];
  });
}

function requireAddress(value: string, key: string): URL {
  const address = readIndexAddress(value);
  if (address === undefined) throw indexAddressInvalid(`npm's setting ${key}`);
  return address;
}

import type { BuildPreparation, SchemeOptions } from '@portolan/plugin-api';
import { keyOfVariable, readNpmRegistries, readVariables } from './npm-registries.ts';

/**
 * Flags for npm that name the registries, since no `.npmrc` of this machine gets
 * into a stage. Left out is what npm reads in the build itself, in the npmrc or
 * in the variables of builds. Throws as `readNpmRegistries`.
 */
export async function listRegistryFlags(
  prepared: BuildPreparation | undefined,
  options: SchemeOptions,
): Promise<readonly string[]> {
  const { usual, ofScopes } = await readNpmRegistries(options);
  const given = (prepared?.variables ?? []).map((name) => keyOfVariable(name));
  // The npmrc of builds may name any; variables of this process count more all the same.
  const isFixed = (key: string): boolean =>
    !given.includes(key) &&
    (prepared?.authFiles.includes('npmrc') !== true || readVariables(options.environment).has(key));
  return [
    ...(isFixed('registry') ? [`--registry=${usual.href}`] : []),
    ...[...ofScopes].flatMap(([scope, { href }]) =>
      isFixed(`${scope}:registry`) ? [`--${scope}:registry=${href}`] : [],
    ),
  ];
}

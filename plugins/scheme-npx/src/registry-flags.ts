import type { BuildPreparation, SchemeOptions } from '@portolan/plugin-api';
import { keyOfVariable, readNpmRegistries, readVariables } from './npm-registries.ts';

/**
 * Flags name the registries, because no local `.npmrc` is copied into a stage. Omits what npm reads in the
 * build itself. Throws what `readNpmRegistries` throws.
 */
export async function listRegistryFlags(
  prepared: BuildPreparation | undefined,
  options: SchemeOptions,
): Promise<readonly string[]> {
  const { usual, ofScopes } = await readNpmRegistries(options);
  const registryFlags = (prepared?.variables ?? []).map((name) => keyOfVariable(name));
  // Whether the registry is fixed. The npmrc file of builds may name any registry; variables of this process
  // still take precedence.
  const isFixed = (key: string): boolean =>
    !registryFlags.includes(key) &&
    (prepared?.authFiles.includes('npmrc') !== true || readVariables(options.environment).has(key));
  return [
    ...(isFixed('registry') ? [`--registry=${usual.href}`] : []),
    ...[...ofScopes].flatMap(([scope, { href }]) =>
      isFixed(`${scope}:registry`) ? [`--${scope}:registry=${href}`] : [],
    ),
  ];
}

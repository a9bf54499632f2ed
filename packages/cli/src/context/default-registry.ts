import { OFFICIAL_REGISTRY, type UserSettings } from '@portolan/run-spec';

/** Variable with the API address of the default registry, for users who have set none; `off` disables it. */
export const DEFAULT_REGISTRY = 'PORTOLAN_DEFAULT_REGISTRY';

/**
 * Returns the address of the default registry; undefined when the user has set a registry, or the environment
 * disables it.
 */
export function findDefaultRegistry(
  { usesDefaultRegistry }: Pick<UserSettings, 'usesDefaultRegistry'>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = environment[DEFAULT_REGISTRY] || OFFICIAL_REGISTRY;
  return usesDefaultRegistry && named.toLowerCase() !== 'off' ? named : undefined;
}

import { OFFICIAL_REGISTRY, type UserSettings } from '@portolan/run-spec';

/** Variable that names the API which is asked where the user has set no registry; `off` for none. */
export const DEFAULT_REGISTRY = 'PORTOLAN_DEFAULT_REGISTRY';

/** The registry that is asked where the user has set none; undefined where neither user nor environment wants one. */
export function findDefaultRegistry(
  { usesDefaultRegistry }: Pick<UserSettings, 'usesDefaultRegistry'>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = environment[DEFAULT_REGISTRY] || OFFICIAL_REGISTRY;
  return usesDefaultRegistry && named.toLowerCase() !== 'off' ? named : undefined;
}

import { isJsonObject, type JsonObject, type ResourceClaims } from '@portolan/plugin-api';
import { listOf, memberOf } from '@portolan/entry-format';
import { badArgument } from '../terminal/terminal-errors.ts';

/** Values of the flags for a registry; undefined leaves a setting unchanged. */
export interface RegistryWish {
  /** Names of sources in order of precedence, highest first. */
  readonly sources: readonly string[] | undefined;
  readonly claims: ResourceClaims | undefined;
}

/**
 * Returns the definition of a registry: the existing one, if any, with the values of the flags. Throws
 * ERR_BAD_ARGUMENT without sources.
 */
export function registryDefinition(
  now: JsonObject | undefined,
  { sources, claims }: RegistryWish,
): JsonObject {
  const listed = sources ?? listOf(now, 'sources');
  if (listed.length === 0) throw badArgument('expected --sources, or --file with the whole definition');
  const known = memberOf(now, 'claims');
  const requested = claims ?? (isJsonObject(known) ? known : {});
  return {
    sources: [...listed],
    ...(Object.keys(requested).length === 0 ? {} : { claims: { ...requested } }),
  };
}

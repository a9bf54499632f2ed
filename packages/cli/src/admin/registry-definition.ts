import { isJsonObject, type JsonObject, type ResourceClaims } from '@portolan/plugin-api';
import { listOf, memberOf } from '@portolan/entry-format';
import { badArgument } from '../terminal/terminal-errors.ts';

/** What flags say about a registry; undefined is left as it is. */
export interface RegistryWish {
  /** First one first. */
  readonly sources: readonly string[] | undefined;
  readonly claims: ResourceClaims | undefined;
}

/** The definition of a registry: what it is now, if it is there, with what flags say in its place. Throws ERR_BAD_ARGUMENT without sources. */
export function registryDefinition(
  now: JsonObject | undefined,
  { sources, claims }: RegistryWish,
): JsonObject {
  const listed = sources ?? listOf(now, 'sources');
  if (listed.length === 0) throw badArgument('expected --sources, or --file with the whole definition');
  const known = memberOf(now, 'claims');
  const wanted = claims ?? (isJsonObject(known) ? known : {});
  return { sources: [...listed], ...(Object.keys(wanted).length === 0 ? {} : { claims: { ...wanted } }) };
}

import type { PermissionProfile } from '@portolan/run-spec';

/**
 * Returns a sentence for each permission that differs between a registry entry and a workload. An update does
 * not change permissions, because the user consented to the current ones. Pure.
 */
export function permissionChanges(
  has: PermissionProfile | undefined,
  permissionProfile: PermissionProfile | undefined,
): readonly string[] {
  if (permissionProfile === undefined) return [];
  const [before, after] = [allowedBy(has), allowedBy(permissionProfile)];
  return [
    ...after
      .filter((one) => !before.includes(one))
      .map((one) => `The entry asks for ${one}; the workload does not get it.`),
    ...before
      .filter((one) => !after.includes(one))
      .map((one) => `The entry does not ask for ${one}; the workload keeps it.`),
  ];
}

/**
 * Returns everything that a permission profile allows. A profile without network settings allows all outbound
 * connections.
 */
function allowedBy(profile: PermissionProfile | undefined): readonly string[] {
  if (profile === undefined) return [];
  const { name: _name, network = { outbound: { insecure_allow_all: true } }, ...rest } = profile;
  return wordsOf({ ...rest, network });
}

/**
 * Returns each permission as its path in the profile and its value, such as `network.outbound.allow_host
 * notes.acme.example`.
 */
function wordsOf(value: unknown, place: readonly string[] = []): readonly string[] {
  if (value === true) return [place.join('.')];
  if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
    return [`${place.join('.')} ${value}`];
  if (Array.isArray(value)) return value.flatMap((item) => wordsOf(item, place));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => wordsOf(inner, [...place, key]));
}

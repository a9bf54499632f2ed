import type { PermissionProfile } from '@portolan/run-spec';

/**
 * How the permissions that a registry entry asks for differ from those that a
 * workload has, a sentence for each. What the entry asks for is not what the
 * workload gets: a person has agreed to what it has. Pure.
 */
export function permissionChanges(
  has: PermissionProfile | undefined,
  asked: PermissionProfile | undefined,
): readonly string[] {
  if (asked === undefined) return [];
  const [before, after] = [allowedBy(has), allowedBy(asked)];
  return [
    ...after
      .filter((one) => !before.includes(one))
      .map((one) => `The entry asks for ${one}; the workload does not get it.`),
    ...before
      .filter((one) => !after.includes(one))
      .map((one) => `The entry does not ask for ${one}; the workload keeps it.`),
  ];
}

/** Without a word about the network everything may leave. */
function allowedBy(profile: PermissionProfile | undefined): readonly string[] {
  if (profile === undefined) return [];
  const { name: _name, network = { outbound: { insecure_allow_all: true } }, ...rest } = profile;
  return wordsOf({ ...rest, network });
}

/** Each thing that is allowed by itself, with its place: `network.outbound.allow_host notes.acme.example`. */
function wordsOf(value: unknown, place: readonly string[] = []): readonly string[] {
  if (value === true) return [place.join('.')];
  if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
    return [`${place.join('.')} ${value}`];
  if (Array.isArray(value)) return value.flatMap((item) => wordsOf(item, place));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => wordsOf(inner, [...place, key]));
}

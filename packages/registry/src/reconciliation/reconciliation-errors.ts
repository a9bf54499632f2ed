import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a source or registry in the file whose name a resource from the API already has. */
export function nameTakenByApi(what: 'source' | 'registry', names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_NAME_TAKEN',
    'mistake',
    `The configuration defines ${what} ${names.map((name) => `"${name}"`).join(', ')}, which already exists through the API.`,
    { hint: 'Rename it in the file, or delete the existing one through the API first.' },
  );
}

/** Creates the error for a source removed from the file while a registry from the API still lists it. */
export function sourceStillReferenced(
  names: readonly string[],
  registries: readonly string[],
): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REFERENCED',
    'mistake',
    `The configuration no longer defines source ${names.map((name) => `"${name}"`).join(', ')}, but registry ${registries.map((name) => `"${name}"`).join(', ')} still lists it.`,
    { hint: 'Restore the source in the file, or first remove it from the registry through the API.' },
  );
}

import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an auth provider that cannot explain tokens. */
export function tokenUnexplained(mode: string): PortolanError {
  return new PortolanError('ERR_TOKEN_UNEXPLAINED', 'fault', `auth.mode "${mode}" cannot explain tokens`, {
    hint: 'use --url to let the running server explain the token',
  });
}

/** Creates the error for a registry that neither the configuration nor the database has. */
export function registryUnknown(name: string, known: readonly string[]): PortolanError {
  const names = known.map((one) => `"${one}"`).join(', ');
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', `there is no registry "${name}"`, {
    hint: names === '' ? 'define a registry: there is none' : `use one of ${names}`,
  });
}

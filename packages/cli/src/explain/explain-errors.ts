import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an auth provider that cannot explain tokens. */
export function tokenUnexplained(mode: string): PortolanError {
  return new PortolanError(
    'ERR_TOKEN_UNEXPLAINED',
    'fault',
    `auth.mode "${mode}" cannot say what it makes of a token`,
    {
      hint: 'ask the running server instead, with --url',
    },
  );
}

/** Creates the error for a registry that neither the configuration nor the database has. */
export function registryUnknown(name: string, known: readonly string[]): PortolanError {
  const names = known.map((one) => `"${one}"`).join(', ');
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', `there is no registry "${name}"`, {
    hint: names === '' ? 'there are no registries at all' : `there are ${names}`,
  });
}

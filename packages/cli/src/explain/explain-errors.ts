import { PortolanError } from '@portolan/plugin-api';

/** The configured auth provider has no function that explains tokens. */
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

/** The configuration, and the database where it was looked into, have no registry of this name. */
export function registryUnknown(name: string, known: readonly string[]): PortolanError {
  const names = known.map((one) => `"${one}"`).join(', ');
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', `there is no registry "${name}"`, {
    hint: names === '' ? 'there are no registries at all' : `there are ${names}`,
  });
}

import { isPortolanError, PortolanError } from '@portolan/plugin-api';

/** The file with this user's logins to registries is damaged. */
export function stateDamaged(file: string, fault = 'it does not name logins to registries'): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} is damaged: ${fault}.`, {
    hint: 'Remove the file, and log in again with `portolan registry login`.',
  });
}

/** The command needs a registry, but the user named none. */
export function noRegistryNamed(): PortolanError {
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', 'No registry is named.', {
    hint: 'Write its address behind the command, such as https://registry.acme.example; left out, PORTOLAN_URL and the registry of `portolan config set-registry` count.',
  });
}

export function notLoggedIn(address: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_LOGGED_IN', 'absent', `Nobody is logged in to ${address}.`, {
    hint: `Log in with \`portolan registry login ${address}\`.`,
  });
}

/** The registry accepts requests without a token. */
export function noLoginWanted(address: string): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_NOT_POSSIBLE',
    'mistake',
    `Nobody can log in to ${address}: it asks for no login.`,
    {
      hint: 'Nothing has to be done; with --issuer a login is made all the same.',
    },
  );
}

/** Hints of login errors for registries. The original hints are for remote servers. */
const HINTS = new Map<string, (address: string) => string>([
  [
    'ERR_LOGIN_DISCOVERY',
    () =>
      'Name the authorization server with --issuer, and check the address; a registry without authorization needs no login.',
  ],
  [
    'ERR_LOGIN_UNTRUSTED',
    () =>
      'Use the address that the registry gives itself; else the registry, or its authorization server, is set up wrongly.',
  ],
  [
    'ERR_LOGIN_REGISTRATION',
    () =>
      'Have a client registered by hand, with the redirect address http://localhost:8666/callback, and name it with --client-id.',
  ],
  ['ERR_LOGIN_TIMEOUT', () => 'Run the command again; Enter gives five more minutes while the login waits.'],
  [
    'ERR_LOGIN_PORT',
    () => 'Free it, or name another one that the client is registered for with --callback-port.',
  ],
  ['ERR_LOGIN_EXPIRED', (address) => `Log in again: \`portolan registry login ${address}\`.`],
  ['ERR_LOGIN_TOKEN', () => 'Try again later; the login stays.'],
]);

/** Returns the error, with the hint of a login error replaced by that for registries. */
export function inTermsOfRegistry(error: unknown, address: string): unknown {
  const hint = isPortolanError(error) ? HINTS.get(error.code)?.(address) : undefined;
  return hint === undefined ? error : Object.assign(Object(error), { hint });
}

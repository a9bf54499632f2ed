import { isPortolanError, PortolanError } from '@portolan/plugin-api';

/** Creates the error for a damaged file of the user's registry logins. */
export function stateDamaged(file: string, fault = 'it does not name logins to registries'): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} is damaged: ${fault}.`, {
    hint: 'Remove the file, and log in again with `portolan registry login`.',
  });
}

/** Creates the error for a command that needs a registry, when the user has named none. */
export function noRegistryNamed(): PortolanError {
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', 'No registry is named.', {
    hint: 'Add its URL, such as https://registry.acme.example, or set a default with PORTOLAN_URL or `portolan config set-registry`.',
  });
}

export function notLoggedIn(address: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_LOGGED_IN', 'absent', `There is no login for ${address}.`, {
    hint: `Log in with \`portolan registry login ${address}\`.`,
  });
}

/** Creates the error for a login to a registry that accepts requests without a token. */
export function loginNotRequired(address: string): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_NOT_POSSIBLE',
    'mistake',
    `Login is not possible for ${address}: it requires none.`,
    {
      hint: 'Use the registry without a login, or add --issuer to log in anyway.',
    },
  );
}

/** Hints for login errors at a registry, by error code. The original hints apply to remote MCP servers. */
const HINTS = new Map<string, (address: string) => string>([
  [
    'ERR_LOGIN_DISCOVERY',
    () =>
      'Name the authorization server with --issuer, and check the address; a registry without authorization needs no login.',
  ],
  [
    'ERR_LOGIN_UNTRUSTED',
    () =>
      'Use the URL in the metadata of the registry. If it is the same, the registry or its authorization server is misconfigured.',
  ],
  [
    'ERR_LOGIN_REGISTRATION',
    () =>
      'Register a client manually, with the redirect URI http://localhost:8666/callback, and name it with --client-id.',
  ],
  ['ERR_LOGIN_TIMEOUT', () => 'Run the command again. Press Enter to extend the wait by five minutes.'],
  [
    'ERR_LOGIN_PORT',
    () => 'Free the port, or name another redirect port of the client with --callback-port.',
  ],
  ['ERR_LOGIN_EXPIRED', (address) => `Log in again: \`portolan registry login ${address}\`.`],
  ['ERR_LOGIN_TOKEN', () => 'Try again later; the login is kept.'],
]);

/**
 * Replaces the hint of a login error, which applies to remote MCP servers, by the hint for registries.
 * Returns other errors unchanged.
 */
export function inTermsOfRegistry(error: unknown, address: string): unknown {
  const hint = isPortolanError(error) ? HINTS.get(error.code)?.(address) : undefined;
  return hint === undefined ? error : Object.assign(Object(error), { hint });
}

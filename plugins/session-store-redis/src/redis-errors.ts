import { PortolanError } from '@portolan/plugin-api';

export function redisRefuses(place: string, cause: Error): PortolanError {
  return new PortolanError(
    'ERR_STORE_REFUSED',
    'refused',
    `Redis at ${place} refuses the login: ${cause.message}`,
    {
      hint: 'Set --session-store-password to the secret that holds the password. A user name belongs in the address.',
      cause,
    },
  );
}

export function redisAway(place: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_SESSIONS_UNAVAILABLE', 'unavailable', `Redis at ${place} is unavailable.`, {
    hint: 'Check that Redis is running. The proxy reconnects by itself.',
    cause,
  });
}

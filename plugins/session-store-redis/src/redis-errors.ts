import { PortolanError } from '@portolan/plugin-api';

export function redisRefuses(place: string, cause: Error): PortolanError {
  return new PortolanError(
    'ERR_STORE_REFUSED',
    'refused',
    `Redis at ${place} does not let this proxy in: ${cause.message}`,
    {
      hint: 'Name the secret that holds its password: --session-store-password NAME; a user stands in the address.',
      cause,
    },
  );
}

export function redisAway(place: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_SESSIONS_UNAVAILABLE', 'unavailable', `Redis at ${place} cannot be asked.`, {
    hint: 'Look at whether it runs there; the proxy tries again by itself.',
    cause,
  });
}

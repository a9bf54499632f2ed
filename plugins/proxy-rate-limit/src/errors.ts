import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreachable Redis. The message for clients names no host. */
export function redisAway(place: string, cause?: unknown): PortolanError {
  return Object.assign(
    new PortolanError('ERR_RATE_LIMIT_AWAY', 'unavailable', `Redis at ${place} is unavailable.`, {
      hint: 'Check that Redis is running. The proxy reconnects by itself.',
      publicMessage: 'Rate limit cannot be checked at the moment',
      retryAfterSeconds: 1,
      cause,
    }),
    { status: 503, expose: true },
  );
}

/** Creates the error for a Redis that refuses the login. */
export function redisRefuses(place: string, cause: Error): PortolanError {
  return new PortolanError(
    'ERR_STORE_REFUSED',
    'refused',
    `Redis at ${place} refuses the login: ${cause.message}`,
    {
      hint: 'Set redis.password to the secret that holds the password. A user name belongs in the address.',
      cause,
    },
  );
}

import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreachable Redis. The message for clients names no host. */
export function redisAway(place: string, cause?: unknown): PortolanError {
  return Object.assign(
    new PortolanError('ERR_RATE_LIMIT_AWAY', 'unavailable', `Redis at ${place} cannot be asked.`, {
      hint: 'Look at whether it runs there; the proxy tries again by itself.',
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
    `Redis at ${place} does not let this proxy in: ${cause.message}`,
    {
      hint: 'Name the secret that holds its password in redis.password; a user stands in the address.',
      cause,
    },
  );
}

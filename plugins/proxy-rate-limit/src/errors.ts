import { PortolanError } from '@portolan/plugin-api';

/** Redis cannot be asked now, so nobody knows how often was called. Names no host to clients. */
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

/** Redis answers, and does not let us in. */
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

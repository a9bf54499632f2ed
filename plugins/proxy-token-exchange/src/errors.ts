import { PortolanError } from '@portolan/plugin-api';

/**
 * There is no token for the server. The client is told that much and no more; the
 * reason stands in the log.
 */
export function exchangeFailed(cause?: unknown): PortolanError {
  const what = 'Token exchange failed';
  return Object.assign(
    new PortolanError('ERR_TOKEN_EXCHANGE', 'refused', what, {
      hint: 'The log of the workload has the reason.',
      publicMessage: what,
      cause,
    }),
    // Not 401: it would make the client log in, which does not help.
    { status: 403, expose: true },
  );
}

/** More exchanges are under way than are made at once. */
export function exchangeBusy(): PortolanError {
  const what = 'Too many tokens are being exchanged at the moment';
  return new PortolanError('ERR_TOKEN_EXCHANGE_BUSY', 'busy', `${what}.`, {
    hint: 'See why the token endpoint is slow.',
    publicMessage: what,
    retryAfterSeconds: 5,
  });
}

import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for a server token that is not available. The client gets no reason, which is only
 * logged.
 */
export function exchangeFailed(cause?: unknown): PortolanError {
  const what = 'Token exchange failed';
  return Object.assign(
    new PortolanError('ERR_TOKEN_EXCHANGE', 'refused', what, {
      hint: 'See the log of the workload for the reason.',
      publicMessage: what,
      cause,
    }),
    // Not a 401: the client would log in, which does not help.
    { status: 403, expose: true },
  );
}

/** Creates the error for too many simultaneous exchanges. */
export function exchangeBusy(): PortolanError {
  const what = 'Too many tokens are being exchanged at the moment';
  return new PortolanError('ERR_TOKEN_EXCHANGE_BUSY', 'busy', `${what}.`, {
    hint: 'Find out why the token endpoint is slow.',
    publicMessage: what,
    retryAfterSeconds: 5,
  });
}

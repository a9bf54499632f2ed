import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for OAuth metadata on a server that requires no token. */
export function metadataNotFound(): PortolanError {
  return new PortolanError(
    'ERR_METADATA_NOT_FOUND',
    'absent',
    'There is no OAuth resource at this address that needs a token.',
  );
}

/** Creates the error for a server that is not ready. */
export function notReady(reasons: readonly string[]): PortolanError {
  return new PortolanError('ERR_NOT_READY', 'busy', 'service not ready', { hint: reasons.join(' ') });
}

/** Creates the error for a server that does not record recent requests. */
export function eventsNotKept(): PortolanError {
  return new PortolanError('ERR_FEATURE_DISABLED', 'absent', 'This server remembers no audit events.', {
    hint: 'It does where `audit.enabled` is true, or where it has pages.',
  });
}

/** Creates the error for disabled metrics. */
export function metricsDisabled(): PortolanError {
  return new PortolanError('ERR_FEATURE_DISABLED', 'absent', 'Metrics are switched off.', {
    hint: 'Set `telemetry.metrics.enabled: true`.',
  });
}

/** Creates the error for too many concurrent scrapes. */
export function tooManyScrapes(most: number): PortolanError {
  return new PortolanError('ERR_TOO_MANY_SCRAPES', 'busy', `${most} scrapes run already.`, {
    hint: 'Scrape less often.',
  });
}

import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for OAuth metadata on a server that requires no token. */
export function metadataNotFound(): PortolanError {
  return new PortolanError(
    'ERR_METADATA_NOT_FOUND',
    'absent',
    'No protected OAuth resource has this address.',
  );
}

/** Creates the error for a server that is not ready. */
export function notReady(reasons: readonly string[]): PortolanError {
  return new PortolanError('ERR_NOT_READY', 'busy', 'service not ready', { hint: reasons.join(' ') });
}

/** Creates the error for a server that does not record recent requests. */
export function auditEventsDisabled(): PortolanError {
  return new PortolanError('ERR_FEATURE_DISABLED', 'absent', 'This server stores no audit events.', {
    hint: 'Set `audit.enabled: true`, or enable pages.',
  });
}

/** Creates the error for disabled metrics. */
export function metricsDisabled(): PortolanError {
  return new PortolanError('ERR_FEATURE_DISABLED', 'absent', 'Metrics are off.', {
    hint: 'Set `telemetry.metrics.enabled: true`.',
  });
}

/** Creates the error for too many concurrent scrapes. */
export function tooManyScrapes(most: number): PortolanError {
  return new PortolanError(
    'ERR_TOO_MANY_SCRAPES',
    'busy',
    `${most} scrapes run already, which is the maximum.`,
    {
      hint: 'Scrape less frequently.',
    },
  );
}

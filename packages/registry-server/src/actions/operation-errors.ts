import { PortolanError } from '@portolan/plugin-api';

/** No OAuth resource is described: the server asks nobody for a token. */
export function metadataNotFound(): PortolanError {
  return new PortolanError(
    'ERR_METADATA_NOT_FOUND',
    'absent',
    'There is no OAuth resource at this address that needs a token.',
  );
}

/** The service cannot do its work yet, or not any longer. */
export function notReady(reasons: readonly string[]): PortolanError {
  return new PortolanError('ERR_NOT_READY', 'busy', 'service not ready', { hint: reasons.join(' ') });
}

/** No requests are remembered: nobody asked for it. */
export function eventsNotKept(): PortolanError {
  return new PortolanError('ERR_EVENTS_NOT_KEPT', 'absent', 'This server remembers no audit events.', {
    hint: 'It does where `audit.enabled` is true, or where it has pages.',
  });
}

/** Measurements are switched off. */
export function metricsDisabled(): PortolanError {
  return new PortolanError('ERR_METRICS_DISABLED', 'absent', 'Metrics are switched off.', {
    hint: 'Set `telemetry.metrics.enabled: true`.',
  });
}

/** Too many scrapes run already. */
export function tooManyScrapes(most: number): PortolanError {
  return new PortolanError('ERR_TOO_MANY_SCRAPES', 'busy', `${most} scrapes run already.`, {
    hint: 'Scrape less often.',
  });
}

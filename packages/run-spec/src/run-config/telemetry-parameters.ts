import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from './run-config.ts';

/**
 * Settings of the kind `telemetry`, made of the field; undefined where nothing
 * is told to anybody. Other tools leave out what is off, write the share of
 * traced calls as a text, and nothing at all as null or an empty text.
 */
export function telemetryParameters({ telemetry_config: field }: RunConfig): JsonObject | undefined {
  if (field === undefined) return undefined;
  const given = Object.entries(field).filter(([, value]) => value !== null && value !== '');
  const { tracingEnabled, metricsEnabled, ...rest } = Object.fromEntries(given);
  // Whoever says neither has written the field by hand, and wants what there is.
  const isSilent = tracingEnabled === undefined && metricsEnabled === undefined;
  const parameters = {
    ...rest,
    ...('samplingRate' in rest ? { samplingRate: numberIn(rest['samplingRate']) } : {}),
    tracingEnabled: tracingEnabled ?? isSilent,
    metricsEnabled: metricsEnabled ?? isSilent,
  };
  const { endpoint, enablePrometheusMetricsPath } = rest;
  const hasEndpoint = endpoint !== undefined;
  const isOff = parameters.tracingEnabled === false && parameters.metricsEnabled === false;
  const isShown = enablePrometheusMetricsPath !== undefined && enablePrometheusMetricsPath !== false;
  return (hasEndpoint && !isOff) || isShown ? parameters : undefined;
}

/** Whether spans are made, of which a server can be told. */
export function traceParameters(config: RunConfig): JsonObject | undefined {
  const parameters = telemetryParameters(config);
  const isTraced = parameters?.['tracingEnabled'] !== false && (parameters?.['endpoint'] ?? '') !== '';
  return isTraced ? {} : undefined;
}

/** What is no number stays what it is, so that it is told as it was written. */
function numberIn(value: JsonObject[string]): JsonObject[string] {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

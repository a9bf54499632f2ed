import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from './run-config.ts';

/**
 * Returns the settings of the kind `telemetry` from the field; undefined when nothing is exported. Other
 * tools omit disabled parts, write the sampling share as a string, and absent values as null or an empty
 * string.
 */
export function telemetryParameters({ telemetry_config: field }: RunConfig): JsonObject | undefined {
  if (field === undefined) return undefined;
  const given = Object.entries(field).filter(([, value]) => value !== null && value !== '');
  const { tracingEnabled, metricsEnabled, ...rest } = Object.fromEntries(given);
  // A hand-written field with neither key enables both.
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

/** Returns the settings for spans, which may be propagated to the server. */
export function traceParameters(config: RunConfig): JsonObject | undefined {
  const parameters = telemetryParameters(config);
  const isTraced = parameters?.['tracingEnabled'] !== false && (parameters?.['endpoint'] ?? '') !== '';
  return isTraced ? {} : undefined;
}

/** Keeps an invalid number as written, so that the error quotes it. */
function numberIn(value: JsonObject[string]): JsonObject[string] {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

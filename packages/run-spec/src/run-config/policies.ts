import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from './run-config.ts';
import { tokenExchangeParameters } from './token-exchange.ts';
import { webhookParameters } from './webhooks.ts';

export interface PolicyRow {
  readonly kind: string;
  /** Field that enables the policy, for messages. */
  readonly place: keyof RunConfig;
  /** What it protects, for `status` and `plan`: `what callers may do`. */
  readonly protects: string;
  /** Returns the settings of the policy; undefined when the run config does not enable it. */
  readonly parametersOf: (config: RunConfig) => JsonObject | undefined;
}

/**
 * Policies that Portolan provides itself. Of two policies in the same slot of the message path, the one
 * listed first runs first.
 */
export const POLICIES: readonly PolicyRow[] = [
  {
    kind: 'audit',
    place: 'audit_config',
    protects: 'that calls are recorded',
    parametersOf: auditParameters,
  },
  {
    kind: 'telemetry',
    place: 'telemetry_config',
    protects: 'that calls are traced and measured',
    parametersOf: telemetryParameters,
  },
  {
    kind: 'cedar',
    place: 'authz_config',
    protects: 'what callers may do',
    parametersOf: ({ authz_config: authz, authz_config_path: path }) =>
      authz === undefined || authz['type'] === 'httpv1'
        ? undefined
        : { ...authz, ...(path === '' ? {} : { path }) },
  },
  {
    kind: 'decision-point',
    place: 'authz_config',
    protects: 'what callers may do, as a service decides',
    // Remote policies need no local policy file.
    parametersOf: ({ authz_config: authz }) => (authz?.['type'] === 'httpv1' ? authz : undefined),
  },
  {
    kind: 'tool-filter',
    place: 'tools_filter',
    protects: 'which tools clients see',
    parametersOf: ({ tools_filter: tools, tools_override: override }) =>
      tools.length === 0 && Object.keys(override).length === 0
        ? undefined
        : {
            tools,
            override: Object.fromEntries(Object.entries(override).map(([tool, { ...to }]) => [tool, to])),
          },
  },
  {
    kind: 'mutating-webhooks',
    place: 'mutating_webhooks',
    protects: 'what is changed in a call',
    parametersOf: ({ mutating_webhooks: webhooks }) => webhookParameters(webhooks),
  },
  {
    kind: 'validating-webhooks',
    place: 'validating_webhooks',
    protects: 'what is asked before a call',
    parametersOf: ({ validating_webhooks: webhooks }) => webhookParameters(webhooks),
  },
  {
    kind: 'rate-limit',
    place: 'rate_limit_config',
    protects: 'how often it may be called',
    parametersOf: ({ rate_limit_config: limits, rate_limit_namespace: namespace }) =>
      limits === undefined || namespace === '' ? limits : { ...limits, namespace },
  },
  {
    kind: 'token-exchange',
    place: 'token_exchange_config',
    protects: 'that callers keep their tokens to themselves',
    parametersOf: tokenExchangeParameters,
  },
  {
    kind: 'trace-context',
    place: 'telemetry_config',
    protects: 'that the server knows the trace of a call',
    parametersOf: traceParameters,
  },
];

/**
 * Returns the audit settings. The presence of the field enables auditing, whatever its `enabled`, which is
 * for other tools. They also use an empty text for standard output.
 */
function auditParameters({ audit_config: audit }: RunConfig): JsonObject | undefined {
  if (audit === undefined || audit['logFile'] !== '') return audit;
  return Object.fromEntries(Object.entries(audit).filter(([key]) => key !== 'logFile'));
}

/**
 * Returns the telemetry settings. Other tools omit disabled parts, write the sampling share as a string, and
 * write absent values as null or an empty string.
 */
export function telemetryParameters({ telemetry_config: field }: RunConfig): JsonObject | undefined {
  if (field === undefined) return undefined;
  const inputs = Object.entries(field).filter(([, value]) => value !== null && value !== '');
  const { tracingEnabled, metricsEnabled, ...rest } = Object.fromEntries(inputs);
  // A hand-written field with neither key enables both tracing and metrics.
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

export function traceParameters(config: RunConfig): JsonObject | undefined {
  const parameters = telemetryParameters(config);
  const isTraced = parameters?.['tracingEnabled'] !== false && (parameters?.['endpoint'] ?? '') !== '';
  return isTraced ? {} : undefined;
}

/** Parses a number. Returns invalid text unchanged, so that the error quotes it. */
function numberIn(value: JsonObject[string]): JsonObject[string] {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** Schema of `telemetry_config` in a run config, which `--otel-*` flags set. */
export const proxyTelemetryConfig = {
  type: 'object',
  title: 'Traces and metrics of calls',
  description: 'Telemetry about the calls of a workload, for an OpenTelemetry collector or as `/metrics`.',
  properties: {
    endpoint: {
      type: 'string',
      default: '',
      description:
        '`HOST:PORT` of the collector, or its http or https address; `/v1/traces` and `/v1/metrics` are added. Empty: no export.',
      examples: ['otel-collector:4318', 'https://otlp.acme.example/tenant-1'],
    },
    serviceName: {
      type: 'string',
      default: '',
      description: '`service.name`. Empty: `portolan-` and the name of the workload.',
    },
    serviceVersion: {
      type: 'string',
      default: '',
      description: '`service.version`. Empty: that of Portolan.',
    },
    tracingEnabled: { type: 'boolean', default: true, description: 'Whether spans are sent.' },
    metricsEnabled: { type: 'boolean', default: true, description: 'Whether metrics are sent.' },
    samplingRate: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.1,
      description:
        'Share of the calls that begin a trace here. For a call with a trace context, its sender has decided.',
    },
    headers: {
      type: 'object',
      default: {},
      description: 'Headers of every request to the collector; values are references to secrets.',
      additionalProperties: { type: 'string', description: 'Its value.' },
    },
    insecure: {
      type: 'boolean',
      default: false,
      description: 'Connects to a `HOST:PORT` without TLS. Ignored for a complete address.',
    },
    enablePrometheusMetricsPath: {
      type: 'boolean',
      default: false,
      description:
        'Whether `/metrics` of the proxy serves the metrics in Prometheus’ text format, without authentication.',
    },
    prometheusPort: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Ignored: `/metrics` is on the port of the proxy.',
    },
    metricsOnTransportPort: {
      type: 'boolean',
      default: true,
      description: 'Whether the port of the proxy has `/metrics`; there is no other port.',
    },
    environmentVariables: {
      type: 'array',
      items: { type: 'string', pattern: '^[^=\\s]+$' },
      default: [],
      description: 'Environment variables of the supervisor to add to every span, as `environment.NAME`.',
    },
    customAttributes: {
      type: 'object',
      default: {},
      description: 'Attributes of the resource.',
      additionalProperties: { type: 'string', description: 'Its value.' },
    },
    useLegacyAttributes: {
      type: 'boolean',
      default: true,
      description:
        'Whether spans have the older attribute names in addition to those of the semantic conventions.',
    },
    caCertPath: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description: 'CA bundle that is trusted in addition to the default authorities.',
    },
  },
} as const satisfies ConfigBlock;

export type ProxyTelemetryConfig = ConfigOf<typeof proxyTelemetryConfig>;

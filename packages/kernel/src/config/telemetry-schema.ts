import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** Schema of `telemetry` without the settings of an exporter, which the file has at the same level. */
export const telemetryBlock = {
  type: 'object',
  description: 'Metrics and traces.',
  properties: {
    enabled: {
      type: 'boolean',
      default: false,
      description: 'Send metrics and traces with the exporter. `/metrics` does not depend on it.',
    },
    exporter: {
      type: 'string',
      default: 'otlp',
      description: 'Kind of the exporter. Its settings are next to this key.',
    },
    serviceName: {
      type: 'string',
      minLength: 1,
      default: 'portolan-registry',
      description: 'Service name of the server in metrics and traces.',
    },
    serviceVersion: { type: 'string', minLength: 1, description: 'Left out: that of this build.' },
    resourceAttributes: {
      type: 'object',
      default: {},
      description: 'More resource attributes of the server, such as `deployment.environment.name`.',
      additionalProperties: { type: 'string', description: 'A value.' },
    },
    tracing: {
      type: 'object',
      description: 'Traces of requests and syncs.',
      default: {},
      properties: {
        enabled: { type: 'boolean', default: false, description: 'Trace them.' },
        sampling: {
          type: 'number',
          minimum: 0,
          maximum: 1,
          default: 0.05,
          description:
            'Share of requests that are traced, above 0. A `traceparent` header decides for its request; syncs are always traced.',
        },
      },
    },
    metrics: {
      type: 'object',
      description:
        'Prometheus metrics at /metrics of the internal listener, and metrics that an exporter sends.',
      default: {},
      properties: { enabled: { type: 'boolean', default: true, description: 'Collect and offer metrics.' } },
    },
  },
} as const satisfies ConfigBlock;

/** Keys of `telemetry` itself. No setting of an exporter may have one of these names. */
export const TELEMETRY_KEYS: readonly string[] = Object.keys(telemetryBlock.properties);

export function telemetryWith(
  exporter: Pick<ConfigBlock, 'properties'> | undefined,
  exporters: readonly string[],
): ConfigBlock {
  const { properties } = telemetryBlock;
  const named = exporters.length === 0 ? properties.exporter : { ...properties.exporter, enum: exporters };
  return { ...telemetryBlock, properties: { ...exporter?.properties, ...properties, exporter: named } };
}

export function exporterSettings(telemetry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(telemetry).filter(([key]) => !TELEMETRY_KEYS.includes(key)));
}

export type TelemetryConfig = ConfigOf<typeof telemetryBlock>;

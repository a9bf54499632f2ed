import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const otlpConfig = {
  type: 'object',
  description: 'A collector that accepts OTLP over HTTP.',
  properties: {
    endpoint: {
      type: 'string',
      minLength: 1,
      default: 'localhost:4318',
      description:
        '`HOST:PORT` of the collector, or its http or https address; `/v1/traces` and `/v1/metrics` are added.',
      examples: ['otel-collector:4318', 'https://otlp.acme.example/tenant-1'],
    },
    insecure: {
      type: 'boolean',
      default: false,
      description: 'Connects to a `HOST:PORT` without TLS. Ignored for a complete address.',
    },
    headers: {
      type: 'object',
      default: {},
      description: 'Headers of every request, such as a key for the collector.',
      additionalProperties: {
        type: 'string',
        secret: true,
        description: 'Its value; `${NAME}` reads an environment variable, `file:PATH` a file.',
      },
      examples: [{ authorization: 'file:/run/secrets/otlp-authorization' }],
    },
    caCertPath: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description: 'CA bundle that is trusted in addition to the default authorities.',
    },
    exportInterval: {
      type: 'string',
      format: 'duration',
      default: '60s',
      description: 'Time between two exports of the metrics, from 1s to 1h. Traces are exported within 5s.',
    },
  },
} as const satisfies ConfigBlock;

export type OtlpConfig = ConfigOf<typeof otlpConfig>;

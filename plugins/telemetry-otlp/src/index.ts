import type { Plugin } from '@portolan/plugin-api';
import { otlpTelemetry } from './otlp-telemetry.ts';

export { otlpConfig } from './otlp-config.ts';
export type { OtlpConfig } from './otlp-config.ts';
export { otlpTelemetry } from './otlp-telemetry.ts';

export default {
  name: '@portolan/telemetry-otlp',
  apiVersion: 1,
  contributes: { telemetry: [otlpTelemetry] },
} satisfies Plugin;

import type { Plugin } from '@portolan/plugin-api';
import { otlpTelemetry } from './otlp-telemetry.ts';
import { proxyTelemetry } from './proxy/proxy-telemetry.ts';
import { traceContext } from './proxy/trace-context.ts';

export { otlpConfig } from './otlp-config.ts';
export type { OtlpConfig } from './otlp-config.ts';
export { otlpTelemetry } from './otlp-telemetry.ts';
export { proxyTelemetry } from './proxy/proxy-telemetry.ts';
export { proxyTelemetryConfig } from './proxy/proxy-telemetry-config.ts';
export type { ProxyTelemetryConfig } from './proxy/proxy-telemetry-config.ts';
export { traceContext } from './proxy/trace-context.ts';

export default {
  name: '@portolan/telemetry-otlp',
  apiVersion: 2,
  contributes: { telemetry: [otlpTelemetry], proxyMiddleware: [proxyTelemetry, traceContext] },
} satisfies Plugin;

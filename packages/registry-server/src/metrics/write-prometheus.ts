import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { createMetricProducer } from './produce-metrics.ts';
import type { MetricsOptions, ServerMetrics } from './server-metrics.ts';

/** Writes all measurements in Prometheus' text format. Loads the OpenTelemetry SDK; touches nothing global. */
export function createPrometheusWriter(
  metrics: ServerMetrics,
  options: MetricsOptions,
): () => Promise<string> {
  const producer = createMetricProducer(metrics, options);
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return async () => {
    const { resourceMetrics } = await producer.collect();
    return serializer.serialize(resourceMetrics);
  };
}

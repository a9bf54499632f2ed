import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { createEntryCounter } from './count-entries.ts';
import type { Histogram } from './histogram.ts';
import type { Labels, MetricsOptions, Series, ServerMetrics } from './server-metrics.ts';

type Sampled = readonly { readonly labels: Labels; readonly value: number }[];

/**
 * All measurements as OpenTelemetry has them. A producer and not instruments:
 * those cannot take over what was counted elsewhere, and an observed gauge goes
 * on showing series that nobody reports any more.
 */
export function createMetricProducer(metrics: ServerMetrics, options: MetricsOptions): MetricProducer {
  const countEntries = createEntryCounter(options);
  const { version, commit = '' } = options.version;
  const build = { version, commit, node: process.version };
  return {
    collect: async () => {
      const entries = await countEntries();
      const span = { startTime: hrTimeOf(metrics.startedAt), endTime: hrTimeOf(options.clock()) };
      const all = [
        histogram('http.server.request.duration', 'Time to answer.', metrics.requests, span),
        counter(
          'portolan.http.requests',
          'Answered requests.',
          sampled(metrics.requests, ({ count }) => count),
          span,
        ),
        gauge(
          'http.server.active_requests',
          'Requests that run now.',
          sampled(metrics.active, ({ now }) => now),
          span,
        ),
        histogram('portolan.sync.duration', 'Time one sync of a source took.', metrics.syncs, span),
        counter(
          'portolan.errors',
          'Failures of requests and syncs.',
          sampled(metrics.errors, ({ now }) => now),
          span,
        ),
        gauge('portolan.registry.entries', 'Entries by source and type.', entries.map(toSample), span),
        gauge(
          'portolan.build_info',
          'Always 1; its labels say which build runs.',
          [{ labels: build, value: 1 }],
          span,
        ),
      ];
      const scopeMetrics = {
        scope: { name: 'portolan' },
        metrics: all.filter((data) => data.dataPoints.length > 0),
      };
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [scopeMetrics] }, errors: [] };
    },
  };
}

type Span = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;

function counter(name: string, description: string, samples: Sampled, span: Span): MetricData {
  return {
    ...base(name, description),
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: points(samples, span),
  };
}

function gauge(name: string, description: string, samples: Sampled, span: Span): MetricData {
  return {
    ...base(name, description),
    dataPointType: DataPointType.GAUGE,
    dataPoints: points(samples, span),
  };
}

function histogram(
  name: string,
  description: string,
  series: ReadonlyMap<string, Series<Histogram>>,
  span: Span,
): MetricData {
  const dataPoints = [...series.values()].map(({ labels, value: { boundaries, counts, sum, count } }) => ({
    ...span,
    attributes: { ...labels },
    value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
  }));
  return { ...base(name, description, 's'), dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

function base(name: string, description: string, unit = '') {
  return {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
}

function points(samples: Sampled, span: Span): DataPoint<number>[] {
  return samples.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
}

function sampled<T>(series: ReadonlyMap<string, Series<T>>, valueOf: (value: T) => number): Sampled {
  return [...series.values()].map(({ labels, value }) => ({ labels, value: valueOf(value) }));
}

function toSample({ source, type, count }: { source: string; type: string; count: number }): Sampled[number] {
  return { labels: { source, type }, value: count };
}

function hrTimeOf(date: Date): HrTime {
  const ms = date.getTime();
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HrTime, type Meter, ValueType } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  MeterProvider,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { createEntryCounter } from './count-entries.ts';
import type { Histogram } from './histogram.ts';
import type { MetricsOptions, Series, ServerMetrics } from './server-metrics.ts';

/** The side of the measurements that needs the SDK. */
export interface Exporter {
  writeTo(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/** Sets up the SDK, with a provider of its own: nothing global is touched. */
export function openExporter(metrics: ServerMetrics, options: MetricsOptions): Exporter {
  const reader = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
    metricProducers: [histogramProducer(metrics, options.clock)],
  });
  const provider = new MeterProvider({ readers: [reader] });
  observeCounts(provider.getMeter('portolan'), metrics, options);
  return {
    writeTo: async (request, response) => {
      const closed = once(response, 'close');
      reader.getMetricsRequestHandler(request, response);
      await closed;
    },
    close: () => provider.shutdown(),
  };
}

/** Counters and gauges, read when somebody scrapes. */
function observeCounts(meter: Meter, metrics: ServerMetrics, options: MetricsOptions): void {
  const { version, commit = '' } = options.version;
  meter
    .createObservableUpDownCounter('http.server.active_requests', { description: 'Requests that run now.' })
    .addCallback((result) => {
      for (const { value, labels } of metrics.active.values()) result.observe(value.now, labels);
    });
  meter
    .createObservableCounter('portolan.http.requests', { description: 'Answered requests.' })
    .addCallback((result) => {
      for (const { value, labels } of metrics.requests.values()) result.observe(value.count, labels);
    });
  meter
    .createObservableCounter('portolan.errors', { description: 'Failures of requests and syncs.' })
    .addCallback((result) => {
      for (const { value, labels } of metrics.errors.values()) result.observe(value.now, labels);
    });
  meter
    .createObservableGauge('portolan.build_info', {
      description: 'Always 1; its labels say which build runs.',
    })
    .addCallback((result) => result.observe(1, { version, commit, node: process.version }));
  const countEntries = createEntryCounter(options);
  meter
    .createObservableGauge('portolan.registry.entries', { description: 'Entries by source and type.' })
    .addCallback(async (result) => {
      for (const { source, type, count } of await countEntries()) result.observe(count, { source, type });
    });
}

/** Hands the histograms over as they were counted; no instrument of the SDK takes what was counted elsewhere. */
function histogramProducer(metrics: ServerMetrics, clock: () => Date): MetricProducer {
  return {
    collect: () => {
      const times = { startTime: hrTimeOf(metrics.startedAt), endTime: hrTimeOf(clock()) };
      const scope = { name: 'portolan' };
      const data = [
        histogramData('http.server.request.duration', 'Time to answer.', metrics.requests, times),
        histogramData('portolan.sync.duration', 'Time one sync of a source took.', metrics.syncs, times),
      ];
      const scopeMetrics = [{ scope, metrics: data.filter(({ dataPoints }) => dataPoints.length > 0) }];
      return Promise.resolve({ resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] });
    },
  };
}

function histogramData(
  name: string,
  description: string,
  series: ReadonlyMap<string, Series<Histogram>>,
  times: { readonly startTime: HrTime; readonly endTime: HrTime },
): HistogramMetricData {
  return {
    descriptor: { name, description, unit: 's', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [...series.values()].map(({ labels, value: { boundaries, counts, sum, count } }) => ({
      ...times,
      attributes: { ...labels },
      value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
    })),
  };
}

function hrTimeOf(date: Date): HrTime {
  const ms = date.getTime();
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

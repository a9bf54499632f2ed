import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Histogram } from './histogram.ts';
import { type MetricDescription, type MetricKey, METRICS } from './metric-table.ts';
import { ProcessObserver } from './observe-process.ts';
import { createFigureReader } from './read-figures.ts';
import { type Sampled, sampleOwn, samplePools, sampleProcess, sampleSources } from './sample-metrics.ts';
import type { MetricsOptions, Series, ServerMetrics } from './server-metrics.ts';

/** A producer that holds something until it is closed. */
export interface ServerMetricProducer extends MetricProducer {
  close(): void;
}

/**
 * All measurements as OpenTelemetry has them. A producer and not instruments:
 * those cannot take over what was counted elsewhere, and an observed gauge goes
 * on showing series that nobody reports any more.
 */
export function createMetricProducer(metrics: ServerMetrics, options: MetricsOptions): ServerMetricProducer {
  const readFigures = createFigureReader(options);
  const observer = new ProcessObserver();
  return {
    collect: async () => {
      const figures = await readFigures();
      const span = { startTime: hrTimeOf(metrics.startedAt), endTime: hrTimeOf(options.clock()) };
      const sampled: Readonly<Partial<Record<MetricKey, Sampled>>> = {
        ...sampleOwn(metrics, options.version),
        ...sampleSources(figures),
        ...samplePools(options.readPools?.() ?? []),
        ...sampleProcess(observer.read()),
      };
      const distributed: Readonly<Partial<Record<MetricKey, Distributed>>> = {
        requestDuration: metrics.requests,
        syncDuration: metrics.syncs,
      };
      const all = Object.entries(METRICS).map(([key, description]) => {
        // SAFETY: the keys of the table itself.
        const metricKey = key as MetricKey;
        return dataOf(description, distributed[metricKey], sampled[metricKey] ?? [], span);
      });
      const scopeMetrics = {
        scope: { name: 'portolan' },
        metrics: all.filter((data) => data.dataPoints.length > 0),
      };
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [scopeMetrics] }, errors: [] };
    },
    close: () => observer.close(),
  };
}

type Distributed = ReadonlyMap<string, Series<Histogram>>;
type Span = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;

function dataOf(
  description: MetricDescription,
  distributed: Distributed | undefined,
  sampled: Sampled,
  span: Span,
): MetricData {
  const { name, about, unit = '', kind } = description;
  const base = {
    descriptor: { name, description: about, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (distributed !== undefined)
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: distributions(distributed, span) };
  const dataPoints = points(sampled, span);
  return kind === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

function distributions(series: Distributed, span: Span) {
  return [...series.values()].map(({ labels, value: { boundaries, counts, sum, count } }) => ({
    ...span,
    attributes: { ...labels },
    value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
  }));
}

function points(samples: Sampled, span: Span): DataPoint<number>[] {
  return samples.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
}

function hrTimeOf(date: Date): HrTime {
  const ms = date.getTime();
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

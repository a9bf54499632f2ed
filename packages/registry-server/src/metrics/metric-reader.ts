import type { Distribution, Metric, MetricPoint, MetricSnapshot } from '@portolan/plugin-api';
import type { Histogram } from './histogram.ts';
import { type MetricDescription, type MetricKey, METRICS } from './metric-table.ts';
import { ProcessObserver } from './observe-process.ts';
import { createFigureReader } from './read-figures.ts';
import { type Sampled, sampleOwn, samplePools, sampleProcess, sampleSources } from './sample-metrics.ts';
import type { MetricsOptions, Series, ServerMetrics } from './server-metrics.ts';

/**
 * Reads all metrics. Timer delays are measured since the previous read, so each exporter needs its own
 * instance.
 */
export class MetricReader {
  readonly #metrics: ServerMetrics;
  readonly #options: MetricsOptions;
  readonly #readFigures: ReturnType<typeof createFigureReader>;
  readonly #observer = new ProcessObserver();

  constructor(metrics: ServerMetrics, options: MetricsOptions) {
    this.#metrics = metrics;
    this.#options = options;
    this.#readFigures = createFigureReader(options);
  }

  async read(): Promise<MetricSnapshot> {
    const { version, readPools, clock } = this.#options;
    const { requests, syncs, startedAt } = this.#metrics;
    const figures = await this.#readFigures();
    const sampled: Readonly<Partial<Record<MetricKey, Sampled>>> = {
      ...sampleOwn(this.#metrics, version),
      ...sampleSources(figures),
      ...samplePools(readPools?.() ?? []),
      ...sampleProcess(this.#observer.read()),
    };
    const distributed: Readonly<Partial<Record<MetricKey, Distributed>>> = {
      requestDuration: requests,
      syncDuration: syncs,
    };
    const all = Object.entries(METRICS).map(([key, description]) => {
      // SAFETY: the table's own keys.
      const metricKey = key as MetricKey;
      return metricOf(description, distributed[metricKey], sampled[metricKey] ?? []);
    });
    return { since: startedAt, at: clock(), metrics: all.filter(({ points }) => points.length > 0) };
  }

  close(): void {
    this.#observer.close();
  }
}

type Distributed = ReadonlyMap<string, Series<Histogram>>;

function metricOf(
  { name, about, unit, kind }: MetricDescription,
  distributed: Distributed | undefined,
  sampled: Sampled,
): Metric {
  const head = { name, about, unit };
  if (kind === 'histogram') return { ...head, kind, points: distributions(distributed ?? new Map()) };
  return { ...head, kind, points: sampled.map(({ labels, value }) => ({ attributes: labels, value })) };
}

/** Returns copies of the distributions, because counting continues while they are sent. */
function distributions(series: Distributed): readonly MetricPoint<Distribution>[] {
  return [...series.values()].map(({ labels, value }) => ({ attributes: labels, value: value.copy() }));
}

import type { Attributes } from './tracer.ts';
import type { Metric } from './metrics.ts';

/** Text formats of metrics, with their content types. OpenMetrics is version 1.0. */
export const METRICS_CONTENT_TYPES = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const;

export type MetricsFormat = keyof typeof METRICS_CONTENT_TYPES;

const UNITS = { s: 'seconds', By: 'bytes' } as const;

/** Returns the name of a metric for Prometheus, such as `http_server_request_duration_seconds`. */
export function metricFamilyName({
  name,
  unit,
}: Pick<Metric, 'name'> & Partial<Pick<Metric, 'unit'>>): string {
  return unit === undefined ? prometheusName(name) : `${prometheusName(name)}_${UNITS[unit]}`;
}

/** Keeps only characters that Prometheus allows. */
export function prometheusName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

/** Loads prom-client at the first call, so that only a scraped process pays for it. */
export async function writeMetrics(metrics: readonly Metric[], format: MetricsFormat): Promise<string> {
  const { Gauge, Registry } = await import('prom-client');
  const registry = new Registry<(typeof METRICS_CONTENT_TYPES)[MetricsFormat]>();
  registry.setContentType(METRICS_CONTENT_TYPES[format]);
  for (const metric of metrics) {
    const family = metricFamilyName(metric);
    const name = metric.kind === 'counter' && format === 'prometheus' ? `${family}_total` : family;
    const help = metric.about;
    const values = samplesOf(metric, name);
    const get = async () => ({ name, help, type: metric.kind, values });
    // Metrics of prom-client can only count events, but these values are counted already, so a plain object
    // provides them.
    registry.registerMetric(Object.assign(new Gauge({ name, help, registers: [] }), { get }));
  }
  const text = await registry.metrics();
  return format === 'openmetrics' ? completeOpenMetrics(text) : text;
}

interface Sample {
  readonly metricName: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function samplesOf(metric: Metric, name: string): readonly Sample[] {
  if (metric.kind !== 'histogram') {
    return metric.points.map(({ attributes, value }) => ({
      metricName: undefined,
      labels: labelsOf(attributes),
      value,
    }));
  }
  return metric.points.flatMap(({ attributes, value: { boundaries, counts, sum, count } }) => {
    const labels = labelsOf(attributes);
    let total = 0;
    const buckets = counts.map((inBucket, index) => {
      total += inBucket;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(boundaries[index] ?? '+Inf') },
        value: total,
      };
    });
    return [
      ...buckets,
      { metricName: `${name}_count`, labels, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
    ];
  });
}

function labelsOf(attributes: Attributes): Readonly<Record<string, string>> {
  const entries = Object.entries(attributes).map(([name, value]) => [prometheusName(name), String(value)]);
  return Object.fromEntries(entries);
}

/** Adds what OpenMetrics requires and prom-client leaves out: units, and a decimal point in each boundary. */
function completeOpenMetrics(text: string): string {
  return text
    .replaceAll(/^# TYPE (\S+_(seconds|bytes)) /gm, '# UNIT $1 $2\n# TYPE $1 ')
    .replaceAll(/([{,]le="\d+)"/g, '$1.0"');
}

import type { Attributes, Metric } from '@portolan/plugin-api';

/** Content type of the text below. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in Prometheus' text format: the one that every scraper takes. */
export function writePrometheus(metrics: readonly Metric[]): string {
  return metrics.map(writeFamily).join('');
}

function writeFamily(metric: Metric): string {
  const { kind, unit, about } = metric;
  const name = `${spelled(metric.name)}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`;
  const head = `# HELP ${name} ${about}\n# TYPE ${name} ${kind}\n`;
  if (metric.kind !== 'histogram') {
    return head + metric.points.map(({ attributes, value }) => sample(name, attributes, value)).join('');
  }
  const rows = metric.points.flatMap(({ attributes, value: { boundaries, counts, sum, count } }) => {
    let below = 0;
    const buckets = counts.map((inBucket, at) => {
      below += inBucket;
      return sample(`${name}_bucket`, { ...attributes, le: String(boundaries[at] ?? '+Inf') }, below);
    });
    return [...buckets, sample(`${name}_sum`, attributes, sum), sample(`${name}_count`, attributes, count)];
  });
  return head + rows.join('');
}

function sample(name: string, labels: Attributes, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${spelled(label)}="${escaped(String(text))}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

function spelled(name: string): string {
  return name.replaceAll('.', '_');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

import type { Attributes, Distribution, Metric, MetricPoint } from '@portolan/plugin-api';
import { familyName, scrapedName, unitWord } from './metric-table.ts';

/** The two forms that scrapers ask for. */
export type ExpositionForm = 'prometheus' | 'openmetrics';

/**
 * Metrics as text: Prometheus' own form (0.0.4), or OpenMetrics 1.0, which is strict
 * about units, types and its end. Written here, since OpenTelemetry's exporter knows
 * only the first, puts no units into names, and needs its SDK.
 */
export function writeExposition(metrics: readonly Metric[], form: ExpositionForm): string {
  const families = metrics.map((metric) => writeFamily(metric, form)).join('');
  return form === 'openmetrics' ? `${families}# EOF\n` : families;
}

function writeFamily(metric: Metric, form: ExpositionForm): string {
  const name = familyName(metric);
  const sampleName = metric.kind === 'counter' ? `${name}_total` : name;
  // OpenMetrics describes a counter by the name of its family, Prometheus by that of its samples.
  const described = form === 'openmetrics' ? name : sampleName;
  const unit = form === 'openmetrics' ? unitWord(metric.unit) : undefined;
  return [
    `# HELP ${described} ${escapeHelp(metric.about, form)}\n`,
    ...(unit === undefined ? [] : [`# UNIT ${described} ${unit}\n`]),
    `# TYPE ${described} ${metric.kind}\n`,
    ...writeSamples(metric, sampleName, form),
  ].join('');
}

function writeSamples(metric: Metric, name: string, form: ExpositionForm): readonly string[] {
  return metric.kind === 'histogram'
    ? metric.points.flatMap((point) => writeHistogram(name, point, form))
    : metric.points.map(({ attributes, value }) => sample(name, attributes, value));
}

function writeHistogram(
  name: string,
  { attributes, value: { boundaries, counts, sum, count } }: MetricPoint<Distribution>,
  form: ExpositionForm,
): readonly string[] {
  let below = 0;
  const rows = counts.map((inBucket, index) => {
    below += inBucket;
    const le = boundaryText(boundaries[index], form);
    return sample(`${name}_bucket`, { ...attributes, le }, below);
  });
  return [...rows, sample(`${name}_count`, attributes, count), sample(`${name}_sum`, attributes, sum)];
}

/** OpenMetrics has one spelling for each boundary, with a point in it. */
function boundaryText(boundary: number | undefined, form: ExpositionForm): string {
  if (boundary === undefined) return '+Inf';
  return form === 'openmetrics' && Number.isInteger(boundary) ? `${boundary}.0` : String(boundary);
}

function sample(name: string, labels: Attributes, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${scrapedName(label)}="${escapeLabel(String(text))}"`,
  );
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapeHelp(text: string, form: ExpositionForm): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return form === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

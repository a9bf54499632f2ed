import { type DataPoint, DataPointType, type Histogram, type MetricData } from '@opentelemetry/sdk-metrics';
import { familyName, scrapedName, unitWord } from './metric-table.ts';

/** The two forms that scrapers ask for. */
export type ExpositionForm = 'prometheus' | 'openmetrics';

/**
 * Metrics as text: Prometheus' own form (0.0.4), or OpenMetrics 1.0, which is strict
 * about units, types and its end. Written here, since OpenTelemetry's exporter knows
 * only the first, and puts no units into names.
 */
export function writeExposition(metrics: readonly MetricData[], form: ExpositionForm): string {
  const families = metrics.map((metric) => writeFamily(metric, form)).join('');
  return form === 'openmetrics' ? `${families}# EOF\n` : families;
}

function writeFamily(metric: MetricData, form: ExpositionForm): string {
  const { descriptor } = metric;
  const name = familyName(descriptor);
  const isCounter = metric.dataPointType === DataPointType.SUM && metric.isMonotonic;
  const sampleName = isCounter ? `${name}_total` : name;
  // OpenMetrics describes a counter by the name of its family, Prometheus by that of its samples.
  const described = form === 'openmetrics' ? name : sampleName;
  const unit = form === 'openmetrics' ? unitWord(descriptor.unit) : undefined;
  return [
    `# HELP ${described} ${escapeHelp(descriptor.description, form)}\n`,
    ...(unit === undefined ? [] : [`# UNIT ${described} ${unit}\n`]),
    `# TYPE ${described} ${typeOf(metric, isCounter)}\n`,
    ...writeSamples(metric, sampleName, form),
  ].join('');
}

function typeOf({ dataPointType }: MetricData, isCounter: boolean): string {
  if (dataPointType === DataPointType.HISTOGRAM) return 'histogram';
  return isCounter ? 'counter' : 'gauge';
}

function writeSamples(metric: MetricData, name: string, form: ExpositionForm): readonly string[] {
  if (metric.dataPointType === DataPointType.HISTOGRAM)
    return metric.dataPoints.flatMap((point) => writeHistogram(name, point, form));
  // Exponential histograms are made nowhere here.
  if (metric.dataPointType === DataPointType.EXPONENTIAL_HISTOGRAM) return [];
  return metric.dataPoints.map(({ attributes, value }) => sample(name, attributes, value));
}

function writeHistogram(
  name: string,
  { attributes, value: { buckets, sum = 0, count } }: DataPoint<Histogram>,
  form: ExpositionForm,
): readonly string[] {
  let below = 0;
  const rows = buckets.counts.map((inBucket, index) => {
    below += inBucket;
    const le = boundaryText(buckets.boundaries[index], form);
    return sample(`${name}_bucket`, { ...attributes, le }, below);
  });
  return [...rows, sample(`${name}_count`, attributes, count), sample(`${name}_sum`, attributes, sum)];
}

/** OpenMetrics has one spelling for each boundary, with a point in it. */
function boundaryText(boundary: number | undefined, form: ExpositionForm): string {
  if (boundary === undefined) return '+Inf';
  return form === 'openmetrics' && Number.isInteger(boundary) ? `${boundary}.0` : String(boundary);
}

function sample(name: string, labels: DataPoint<unknown>['attributes'], value: number): string {
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

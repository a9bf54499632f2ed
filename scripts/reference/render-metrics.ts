import { metricFamilyName, prometheusName } from '@portolan/plugin-api';
import { METRICS, type MetricDescription } from '../../packages/registry-server/src/metrics/metric-table.ts';

const HEAD = `# Metrics

What \`GET /metrics\` on the internal listener of a registry server shows, in Prometheus' text format, or in OpenMetrics 1.0
where the scraper asks for it. Names and labels are those of OpenTelemetry's semantic conventions, where it has one, as
Prometheus spells them: \`http.server.request.duration\` in seconds is \`http_server_request_duration_seconds\`. A histogram
has \`_bucket\`, \`_sum\` and \`_count\`. A metric without a series is left out.

| metric | type | labels | what it says |
|---|---|---|---|
`;

/** Returns the reference page of the metrics, from the table that also describes them to scrapers. */
export function renderMetrics(): string {
  return HEAD + Object.values(METRICS).map(renderRow).join('');
}

function renderRow(metric: MetricDescription): string {
  const name = `${metricFamilyName(metric)}${metric.kind === 'counter' ? '_total' : ''}`;
  const labels = metric.labels.map((label) => `\`${prometheusName(label)}\``).join(', ');
  return `| \`${name}\` | ${metric.kind} | ${labels} | ${metric.about} |\n`;
}

import type { FieldReader } from '../document/field-reader.ts';
import { type JsonMembers, memberOf } from '../document/json-members.ts';

/** Section `otel` of the user's settings, for workloads without telemetry flags. */
export interface TelemetryDefaults {
  readonly endpoint: string | undefined;
  readonly samplingRate: number | undefined;
  readonly environmentVariables: readonly string[] | undefined;
  readonly metricsEnabled: boolean | undefined;
  readonly tracingEnabled: boolean | undefined;
  readonly insecure: boolean | undefined;
  readonly enablePrometheusMetricsPath: boolean | undefined;
  readonly useLegacyAttributes: boolean | undefined;
}

export const NO_TELEMETRY_DEFAULTS: TelemetryDefaults = {
  endpoint: undefined,
  samplingRate: undefined,
  environmentVariables: undefined,
  metricsEnabled: undefined,
  tracingEnabled: undefined,
  insecure: undefined,
  enablePrometheusMetricsPath: undefined,
  useLegacyAttributes: undefined,
};

const AT = 'otel';

/** Parses the section `otel`, whose keys have hyphens, as in other tools. */
export function readTelemetryDefaults(fields: FieldReader, value: unknown): TelemetryDefaults {
  const map = fields.map(memberOf(value, AT), AT);
  const given = <Value>(key: string, read: () => Value): Value | undefined =>
    map[key] === undefined || map[key] === null ? undefined : read();
  const truth = (key: string): boolean | undefined => given(key, () => fields.truth(map, key, AT));
  return {
    endpoint: given('endpoint', () => fields.text(map, 'endpoint', AT)),
    samplingRate: given('sampling-rate', () => readRate(fields, map)),
    environmentVariables: given('env-vars', () => fields.texts(map, 'env-vars', AT)),
    metricsEnabled: truth('metrics-enabled'),
    tracingEnabled: truth('tracing-enabled'),
    insecure: truth('insecure'),
    enablePrometheusMetricsPath: truth('enable-prometheus-metrics-path'),
    useLegacyAttributes: truth('use-legacy-attributes'),
  };
}

function readRate(fields: FieldReader, map: JsonMembers): number {
  const rate = Number(map['sampling-rate']);
  if (rate >= 0 && rate <= 1) return rate;
  fields.problem(`${AT}.sampling-rate`, map['sampling-rate'], 'a number from 0 to 1');
  return 0;
}

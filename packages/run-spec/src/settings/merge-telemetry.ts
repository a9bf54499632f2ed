import { findHeaderFault } from '@portolan/outbound';
import type { JsonObject } from '@portolan/plugin-api';
import { TELEMETRY_FLAGS } from './flags/telemetry-flags.ts';
import type { MergeInput } from './merge-input.ts';
import { typedFlag } from './run-flags.ts';
import { hasNoEffect } from './without-effect.ts';
import type { Setting } from './setting.ts';
import { badNumber, badSetting, unusableSetting } from '../parse/parse-errors.ts';

const NAMES = Object.keys(TELEMETRY_FLAGS) as readonly (keyof typeof TELEMETRY_FLAGS)[];

/**
 * Merges the telemetry settings in the order flags, the user's section `otel`, defaults. Undefined when
 * nothing is exported; a warning then names flags without effect. Throws ERR_SETTING.
 */
export function mergeTelemetry(
  { request: { flags }, user: { telemetry: user } }: MergeInput,
  warnings: string[],
): Setting<JsonObject> | undefined {
  const endpoint = flags.otelEndpoint ?? user.endpoint ?? '';
  const rate = flags.otelSamplingRate ?? user.samplingRate ?? 0.1;
  if (!(rate >= 0 && rate <= 1)) {
    throw badNumber(typedFlag('otelSamplingRate'), rate, 'a number from 0 to 1');
  }
  const showsMetrics = flags.otelEnablePrometheusMetricsPath ?? user.enablePrometheusMetricsPath ?? false;
  const tracingEnabled = flags.otelTracingEnabled ?? user.tracingEnabled ?? true;
  const metricsEnabled = flags.otelMetricsEnabled ?? user.metricsEnabled ?? true;
  const serviceName = flags.otelServiceName ?? '';
  const value = {
    endpoint,
    ...(serviceName === '' ? {} : { serviceName }),
    tracingEnabled,
    metricsEnabled,
    // Other tools expect a string.
    samplingRate: String(rate),
    headers: parseHeaders(flags.otelHeaders ?? []),
    insecure: flags.otelInsecure ?? user.insecure ?? false,
    enablePrometheusMetricsPath: showsMetrics,
    environmentVariables: namesIn(flags.otelEnvVars) ?? user.environmentVariables ?? [],
    customAttributes: parseAttributes(flags.otelCustomAttributes ?? ''),
    useLegacyAttributes: flags.otelUseLegacyAttributes ?? user.useLegacyAttributes ?? true,
  };
  const usedNames = NAMES.filter((name) => flags[name] !== undefined);
  const isSent = endpoint !== '' && (tracingEnabled || metricsEnabled);
  if (!isSent && !showsMetrics) {
    const idle = usedNames.filter((name) => flags[name] !== false && flags[name] !== '');
    const need = `${typedFlag('otelEndpoint')} or ${typedFlag('otelEnablePrometheusMetricsPath')}`;
    warnings.push(...idle.map((name) => hasNoEffect(typedFlag(name), `nothing is sent without ${need}`)));
    return undefined;
  }
  const settings = isSent ? value : { ...value, endpoint: '' };
  return usedNames.length > 0
    ? { value: settings, from: 'flag', by: usedNames.map(typedFlag).join(' ') }
    : { value: settings, from: 'user', by: 'otel' };
}

/** Parses headers. Messages contain no values, which may be keys. */
function parseHeaders(texts: readonly string[]): Readonly<Record<string, string>> {
  const place = typedFlag('otelHeaders');
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) {
      throw unusableSetting(place, at < 0 ? 'a header without "="' : 'a header without a name', 'NAME=VALUE');
    }
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    const fault = findHeaderFault(name, value);
    if (fault !== undefined) throw badSetting(place, name, 'a header of HTTP');
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

function parseAttributes(text: string): Readonly<Record<string, string>> {
  if (text.trim() === '') return {};
  const pairs = text.split(',').map((item) => {
    const at = item.indexOf('=');
    const key = item.slice(0, Math.max(at, 0)).trim();
    if (key === '') throw badSetting(typedFlag('otelCustomAttributes'), item.trim(), 'KEY=VALUE,KEY=VALUE');
    return [key, item.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}

function namesIn(texts: readonly string[] | undefined): readonly string[] | undefined {
  const names = texts?.flatMap((text) => text.split(',').map((name) => name.trim()));
  return names === undefined ? undefined : [...new Set(names.filter((name) => name !== ''))];
}

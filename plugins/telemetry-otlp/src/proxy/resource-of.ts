import { hostname } from 'node:os';
import type { Attributes, ProxyMiddlewareContext } from '@portolan/plugin-api';
import type { ProxyTelemetryConfig } from './proxy-telemetry-config.ts';

/** Returns the resource attributes. Settings of the workload override `OTEL_RESOURCE_ATTRIBUTES`. */
export function resourceOf(
  { serviceName, serviceVersion, customAttributes }: ProxyTelemetryConfig,
  { workload, version, environment }: Pick<ProxyMiddlewareContext, 'workload' | 'version' | 'environment'>,
): Attributes {
  return {
    'host.name': hostname(),
    ...attributesIn(environment['OTEL_RESOURCE_ATTRIBUTES'] ?? ''),
    ...customAttributes,
    'service.name': serviceName === '' ? `portolan-${workload.name}` : serviceName,
    'service.version': serviceVersion === '' ? version : serviceVersion,
  };
}

/** Parses `KEY=VALUE,KEY=VALUE` with percent encoding; ignores malformed pairs. */
function attributesIn(text: string): Attributes {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    return at < 1 || key === '' ? [] : [[key, unescaped(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // an invalid escape is literal text
  }
}

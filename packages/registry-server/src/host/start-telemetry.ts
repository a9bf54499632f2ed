import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Kernel } from '@portolan/kernel';
import type { Logger, MetricSnapshot, RunningTelemetry, Tracer } from '@portolan/plugin-api';
import type { VersionInfo } from '../request/version-info.ts';

/**
 * Starts the configured exporter. Undefined without one. `readMetrics` returns no metrics until the server
 * has started.
 */
export async function startTelemetry(
  { telemetry, config, clock }: Pick<Kernel, 'telemetry' | 'config' | 'clock'>,
  { version }: VersionInfo,
  readMetrics: () => Promise<MetricSnapshot> | undefined,
): Promise<RunningTelemetry | undefined> {
  const { serviceName, serviceVersion = version, resourceAttributes, tracing, metrics } = config.telemetry;
  const read = async (): Promise<MetricSnapshot> =>
    (await readMetrics()) ?? { since: clock(), at: clock(), metrics: [] };
  return await telemetry?.start({
    resource: {
      'host.name': hostname(),
      'process.pid': pid,
      ...resourceAttributes,
      'service.name': serviceName,
      'service.version': serviceVersion,
      // Distinguishes replicas. Equal values would merge their series.
      'service.instance.id': resourceAttributes['service.instance.id'] ?? randomUUID(),
    },
    ...(tracing.enabled ? { tracing: { sampling: tracing.sampling } } : {}),
    ...(metrics.enabled ? { metrics: { read } } : {}),
  });
}

/** Returns a logger that adds the id of the current span to each line. */
export function tracedLogger(logger: Logger, tracer: Tracer | undefined): Logger {
  if (tracer === undefined) return logger;
  const withSpan = (fields: object): object => {
    const ids = tracer.current();
    return ids === undefined ? fields : { trace_id: ids.traceId, span_id: ids.spanId, ...fields };
  };
  return {
    debug: (fields, message) => logger.debug(withSpan(fields), message),
    info: (fields, message) => logger.info(withSpan(fields), message),
    warn: (fields, message) => logger.warn(withSpan(fields), message),
    error: (fields, message) => logger.error(withSpan(fields), message),
  };
}

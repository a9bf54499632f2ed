import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  parseDuration,
  type PluginContext,
  type RunningTelemetry,
  type TelemetryOptions,
  type Logger,
  type MetricSnapshot,
} from '@portolan/plugin-api';
import type { OtlpConfig } from './otlp-config.ts';
import { OtlpSender } from './otlp-sender.ts';
import { signalAddress } from './parse-endpoint.ts';
import { openTracing } from './open-tracing.ts';
import { refusedPart } from './refused-part.ts';
import type { OtelTracer } from './otel-tracer.ts';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { toResourceMetrics } from './to-resource-metrics.ts';

interface MetricsExportOptions {
  readonly read: () => Promise<MetricSnapshot>;
  readonly sender: Pick<OtlpSender, 'send'>;
  readonly resource: Resource;
  readonly everyMs: number;
  readonly logger: Logger;
}

/** Exports metrics periodically, and once more on close. */
class MetricsExport {
  readonly #options: MetricsExportOptions;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor(options: MetricsExportOptions) {
    this.#options = options;
    // Exports do not overlap, even if one takes longer than the interval.
    this.#timer = setInterval(() => (this.#running ??= this.#export()), options.everyMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    await this.#export();
  }

  async #export(): Promise<void> {
    const { read, sender, resource, logger } = this.#options;
    try {
      const snapshot = await read();
      if (snapshot.metrics.length === 0) return;
      const request = ProtobufMetricsSerializer.serializeRequest(toResourceMetrics(snapshot, resource));
      // SAFETY: the serializer allocates unshared memory.
      if (request !== undefined) await sender.send(request as Uint8Array<ArrayBuffer>);
    } catch (error) {
      logger.warn({ err: error }, 'metrics could not be read');
    } finally {
      this.#running = undefined;
    }
  }
}

export interface OtlpContext {
  readonly config: OtlpConfig;
  readonly address: URL;
  /** CA certificates as PEM text. */
  readonly ca: string | undefined;
  readonly context: Pick<PluginContext, 'logger' | 'openFetch' | 'environment'>;
}

/** Maximum time in milliseconds for the last export on close. */
const FLUSH_LIMIT_MS = 3000;

export interface RunningOtlp extends RunningTelemetry {
  readonly tracer?: OtelTracer;
}

/** Starts the exporter. Importing this file loads the OpenTelemetry SDK. */
export async function startOtlp(
  options: TelemetryOptions,
  { config, address, ca, context }: OtlpContext,
): Promise<RunningOtlp> {
  const { logger, openFetch, environment } = context;
  const { headers, exportInterval } = config;
  const trust = ca === undefined ? {} : { ca };
  const open = await openFetch({ allowPrivateAddresses: true, environment, ...trust });
  const { fetch } = open;
  const resource = resourceFromAttributes({ ...options.resource });
  const senders: OtlpSender[] = [];
  const openSender = (signal: 'traces' | 'metrics', pausesMs: readonly number[]): OtlpSender => {
    const sender = new OtlpSender({
      address: signalAddress(address, signal),
      headers,
      fetch,
      logger,
      called: signal,
      pausesMs,
      refusedIn: (response) => refusedPart(signal, response),
    });
    senders.push(sender);
    return sender;
  };
  const tracing =
    options.tracing === undefined
      ? undefined
      : openTracing(resource, options.tracing.sampling, openSender('traces', [1000, 4000]));
  const metrics =
    options.metrics === undefined
      ? undefined
      : new MetricsExport({
          read: () => options.metrics?.read() ?? Promise.reject(new TypeError('no metrics')),
          // No retries: the next export contains the same values.
          sender: openSender('metrics', []),
          resource,
          everyMs: parseDuration(exportInterval),
          logger,
        });
  const close = async (): Promise<void> => {
    const sending = [tracing, metrics].flatMap((one) => (one === undefined ? [] : [one.close()]));
    await within(FLUSH_LIMIT_MS, sending);
    for (const sender of senders) sender.abort();
    await Promise.all(senders.map((sender) => sender.idle()));
    await open.close();
  };
  let closing: Promise<void> | undefined;
  return {
    ...(tracing === undefined ? {} : { tracer: tracing.tracer }),
    close: () => (closing ??= close()),
  };
}

/** Waits until all promises settle, or until the timeout. */
async function within(limitMs: number, all: readonly Promise<void>[]): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    await Promise.race([Promise.allSettled(all), late]);
  } finally {
    clearTimeout(timer);
  }
}

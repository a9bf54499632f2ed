import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { Logger, MetricSnapshot } from '@portolan/plugin-api';
import type { OtlpSender } from './otlp-sender.ts';
import { toResourceMetrics } from './to-resource-metrics.ts';

export interface MetricsExportOptions {
  readonly read: () => Promise<MetricSnapshot>;
  readonly sender: Pick<OtlpSender, 'send'>;
  readonly resource: Resource;
  readonly everyMs: number;
  readonly logger: Logger;
}

/** Exports metrics periodically, and once more on close. */
export class MetricsExport {
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

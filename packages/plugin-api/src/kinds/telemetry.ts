import type { ConfigBlock } from '../config-schema.ts';
import type { MetricSnapshot } from '../telemetry/metrics.ts';
import type { Attributes, Tracer } from '../telemetry/tracer.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/**
 * Exports traces and metrics of a host. In the registry server the kind's name is the value of
 * `telemetry.exporter`, and its settings are in `telemetry`. For workloads the block is in the run config.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface TelemetryKind<Block extends ConfigBlock = any> extends Kind<Block, Telemetry> {
  /** Hosts that support this exporter. Any other host rejects a configuration that uses it. */
  readonly hosts: readonly Host[];
}

export interface Telemetry {
  /**
   * Loads the heavy parts. Called once, when there is something to export. An unreachable collector is never
   * an error: it is logged once until it recovers, and never delays a request.
   */
  start(options: TelemetryOptions): RunningTelemetry | Promise<RunningTelemetry>;
}

export interface TelemetryOptions {
  /** Attributes of the observed service: `service.name` and related ones. */
  readonly resource: Attributes;
  /** Options of tracing. Undefined disables tracing. */
  readonly tracing?: {
    /**
     * Share of requests for which this host starts a trace, above 0 and up to 1. A request that carries a
     * trace context follows its sender's sampling decision. Background work is always traced.
     */
    readonly sampling: number;
  };
  /** Options of metrics. Undefined disables metrics. */
  readonly metrics?: {
    /** Called for each export. It may fail and be called again. */
    read(): Promise<MetricSnapshot>;
  };
}

export interface RunningTelemetry {
  /** Present when tracing is enabled. */
  readonly tracer?: Tracer;
  /** Exports pending data within a few seconds, then stops. Idempotent. Never rejects. */
  close(): Promise<void>;
}

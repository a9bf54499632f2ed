import type { ConfigBlock } from '../config-schema.ts';
import type { MetricSnapshot } from '../telemetry/metrics.ts';
import type { Attributes, Tracer } from '../telemetry/tracer.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/**
 * Takes traces and measurements of a host to where people look at them. In the
 * registry server the kind's name is the value of `telemetry.exporter`, and its
 * settings stand in `telemetry`, beside those of every exporter. For workloads
 * the block comes from the run config.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface TelemetryKind<Block extends ConfigBlock = any> extends Kind<Block, Telemetry> {
  /** The programs it serves. A configuration of another one that names it is refused. */
  readonly hosts: readonly Host[];
}

export interface Telemetry {
  /**
   * Begins; called once, when something is to be told: what takes long to load is
   * loaded here. That nobody listens is no reason to throw, now or later: it is
   * logged, once until it is over, and never keeps a request waiting.
   */
  start(options: TelemetryOptions): RunningTelemetry | Promise<RunningTelemetry>;
}

export interface TelemetryOptions {
  /** Who is observed: `service.name` and the like. */
  readonly resource: Attributes;
  /** Left out: nothing is traced. */
  readonly tracing?: {
    /**
     * Share of the requests that begin a trace here, above 0 and up to 1. Who sends
     * a span of their own with a request has decided about it; what the host does
     * by itself is always traced, since it is little.
     */
    readonly sampling: number;
  };
  /** Left out: no measurements. */
  readonly metrics?: {
    /** Asked each time they are sent; it may fail, and be asked again. */
    read(): Promise<MetricSnapshot>;
  };
}

export interface RunningTelemetry {
  /** There when tracing is asked for. */
  readonly tracer?: Tracer;
  /** Sends what is left, waits a few seconds for that at most, and lets go of everything; safe to call twice. Never rejects. */
  close(): Promise<void>;
}

import type {
  Attributes,
  Distribution,
  Metric,
  PluginContext,
  Telemetry,
  TelemetryKind,
} from '@portolan/plugin-api';

export interface TelemetryUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: TelemetryKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Opens a place that takes what is sent, and makes an instance that sends there. Called for every test. */
  readonly open: (context: PluginContext) => Promise<TelemetryPlace>;
  /** Makes an instance that sends to where nobody answers. */
  readonly createUnheard: (context: PluginContext) => Telemetry | Promise<Telemetry>;
  /** What a message has to be free of, and most time a stop may take; left out, 9 seconds. */
  readonly withinMs?: number;
}

export interface TelemetryPlace {
  readonly telemetry: Telemetry;
  /** What has come until now; asked after the instance was closed. */
  spans(): readonly CollectedSpan[];
  metrics(): readonly CollectedMetric[];
  close(): Promise<void>;
}

/** A span as somebody else has read it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined where it begins a trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** All texts that came with it, in one. */
  readonly text: string;
}

export interface CollectedMetric extends Pick<Metric, 'name' | 'about' | 'kind'> {
  /** Empty for a number of things. */
  readonly unit: string;
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>> | Attributes;
    readonly value: number | Distribution;
  }[];
}

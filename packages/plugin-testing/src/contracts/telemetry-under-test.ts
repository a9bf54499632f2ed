import type {
  Attributes,
  Distribution,
  Metric,
  PluginContext,
  RunningTelemetry,
  Telemetry,
  TelemetryKind,
  TelemetryOptions,
  Tracer,
} from '@portolan/plugin-api';
import { createTestContext } from '../test-context.ts';

export interface TelemetryUnderTest {
  readonly name: string;
  readonly kind: TelemetryKind;
  readonly blocks?: readonly unknown[];
  /** Opens a collector and an instance that sends to it, for each test. */
  readonly open: (context: PluginContext) => Promise<TelemetryEndpoint>;
  /** Creates an instance that sends to an address without a collector. */
  readonly createUnheard: (context: PluginContext) => Telemetry | Promise<Telemetry>;
  /** Timeout of a stop in milliseconds. Default: 9 seconds. */
  readonly withinMs?: number;
}

export interface TelemetryEndpoint {
  readonly telemetry: Telemetry;
  /** Returns the spans so far. Called after the instance is closed. */
  spans(): readonly CollectedSpan[];
  metrics(): readonly CollectedMetric[];
  close(): Promise<void>;
}

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the parent span. Undefined for the first span of a trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** All texts of the span, joined. */
  readonly text: string;
}

export interface CollectedMetric extends Pick<Metric, 'name' | 'about' | 'kind'> {
  /** Unit of the metric. Empty for a count. */
  readonly unit: string;
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>> | Attributes;
    readonly value: number | Distribution;
  }[];
}

interface Collected {
  readonly spans: readonly CollectedSpan[];
  readonly metrics: readonly CollectedMetric[];
  readonly span: (name: string) => CollectedSpan;
}

/** Runs an action with a started instance, closes it, and returns what the collector received. */
export async function collect(
  { open }: TelemetryUnderTest,
  options: Omit<TelemetryOptions, 'resource'>,
  action: (running: RunningTelemetry) => void | Promise<void>,
): Promise<Collected> {
  const place = await open(createTestContext());
  try {
    const running = await place.telemetry.start({ resource: { 'service.name': 'suite' }, ...options });
    try {
      await action(running);
    } finally {
      await running.close();
    }
    const spans = place.spans();
    return {
      spans,
      metrics: place.metrics(),
      span: (name) => {
        const [collectedSpan, ...more] = spans.filter((span) => span.name === name);
        if (collectedSpan === undefined || more.length > 0)
          throw new Error(
            `expected one span "${name}", found ${collectedSpan === undefined ? 0 : more.length + 1}`,
          );
        return collectedSpan;
      },
    };
  } finally {
    await place.close();
  }
}

export const ALL = { tracing: { sampling: 1 } } as const;

export async function trace(
  options: TelemetryUnderTest,
  action: (tracer: Tracer) => void | Promise<void>,
): Promise<Collected> {
  return await collect(options, ALL, async ({ tracer }) => {
    if (tracer === undefined) throw new Error('there is no tracer although tracing is enabled');
    await action(tracer);
  });
}

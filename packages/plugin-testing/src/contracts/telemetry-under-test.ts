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

interface Collected {
  readonly spans: readonly CollectedSpan[];
  readonly metrics: readonly CollectedMetric[];
  /** The only span of that name. */
  readonly span: (name: string) => CollectedSpan;
}

/** Starts an instance, does something with it, closes it, and answers what has arrived. */
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
        const [found, ...more] = spans.filter((span) => span.name === name);
        if (found === undefined || more.length > 0)
          throw new Error(`of spans "${name}" have come ${found === undefined ? 0 : more.length + 1}`);
        return found;
      },
    };
  } finally {
    await place.close();
  }
}

/** Everything is sampled. */
export const ALL = { tracing: { sampling: 1 } } as const;

/** As `collect`, with all that is traced. */
export async function trace(
  options: TelemetryUnderTest,
  action: (tracer: Tracer) => void | Promise<void>,
): Promise<Collected> {
  return await collect(options, ALL, async ({ tracer }) => {
    if (tracer === undefined) throw new Error('there is no tracer, though tracing was asked for');
    await action(tracer);
  });
}

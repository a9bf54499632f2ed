import type { RunningTelemetry, TelemetryOptions, Tracer } from '@portolan/plugin-api';
import { createTestContext } from '../test-context.ts';
import type { CollectedMetric, CollectedSpan, TelemetryUnderTest } from './telemetry-under-test.ts';

export interface Collected {
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

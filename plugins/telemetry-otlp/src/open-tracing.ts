import { SpanKind } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { OtelTracer } from './otel-tracer.ts';
import type { OtlpSender } from './otlp-sender.ts';

export interface OpenTracing {
  readonly tracer: OtelTracer;
  close(): Promise<void>;
}

/** Maximum length of attribute values, such as an SQL statement. */
const MAX_VALUE_LENGTH = 4096;

/**
 * Opens tracing without global state, so that two hosts in one process are independent. The queue holds at
 * most 2048 spans; further ones are dropped.
 */
export function openTracing(resource: Resource, sampling: number, sender: OtlpSender): OpenTracing {
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: samplingRequests(sampling) }),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH, attributeCountLimit: 64 },
    spanProcessors: [new BatchSpanProcessor({ exporter: exporterTo(sender) })],
  });
  return {
    tracer: new OtelTracer(provider.getTracer('portolan')),
    close: () => provider.shutdown(),
  };
}

/** Samples a share of the requests, and all spans that the host starts itself. */
function samplingRequests(share: number): Sampler {
  const ofRequests = new TraceIdRatioBasedSampler(share);
  const ofTheRest = new AlwaysOnSampler();
  return {
    shouldSample: (context, traceId, _name, kind) =>
      kind === SpanKind.SERVER ? ofRequests.shouldSample(context, traceId) : ofTheRest.shouldSample(),
    toString: () => `SamplingRequests{${share}}`,
  };
}

function exporterTo(sender: OtlpSender): SpanExporter {
  const send: (...args: Parameters<SpanExporter['export']>) => Promise<void> = async (spans, done) => {
    const request = ProtobufTraceSerializer.serializeRequest(spans);
    // SAFETY: the serializer allocates unshared memory.
    if (request !== undefined) await sender.send(request as Uint8Array<ArrayBuffer>);
    // the sender has already logged the failure
    done({ code: ExportResultCode.SUCCESS });
  };
  return { export: (spans, done) => void send(spans, done), shutdown: () => sender.idle() };
}

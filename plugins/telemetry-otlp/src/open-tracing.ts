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
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Longest text of an attribute, such as a statement. */
const MAX_VALUE_LENGTH = 4096;

/**
 * Nothing of it is global, so that two hosts in a process have two. At most 2048
 * spans wait; what comes while so many do is lost.
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

/** A share of the requests, and all that the host does by itself. */
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
    // SAFETY: made by the serializer, on memory that nobody shares.
    if (request !== undefined) await sender.send(request as Uint8Array<ArrayBuffer>);
    // The sender has told what went wrong.
    done({ code: ExportResultCode.SUCCESS });
  };
  return { export: (spans, done) => void send(spans, done), shutdown: () => sender.idle() };
}

import { ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';

/** What a collector says that it has not taken of a request which it answered with 200 (OTLP, "Partial Success"). */
export interface RefusedPart {
  readonly refused: number;
  readonly because: string;
}

/** Longest text of somebody else that goes into the log. */
const MAX_REASON_LENGTH = 300;

/** Undefined where it has taken everything, or its answer is no answer of OTLP: not all collectors keep to that. */
export function refusedPart(signal: 'traces' | 'metrics', answer: Uint8Array): RefusedPart | undefined {
  const { refused = 0, because = '' } = read(signal, answer);
  return refused > 0 ? { refused, because: because.slice(0, MAX_REASON_LENGTH) } : undefined;
}

function read(
  signal: 'traces' | 'metrics',
  answer: Uint8Array,
): { readonly refused?: number | undefined; readonly because?: string | undefined } {
  try {
    if (signal === 'traces') {
      const { rejectedSpans: refused, errorMessage: because } =
        ProtobufTraceSerializer.deserializeResponse(answer).partialSuccess ?? {};
      return { refused, because };
    }
    const { rejectedDataPoints: refused, errorMessage: because } =
      ProtobufMetricsSerializer.deserializeResponse(answer).partialSuccess ?? {};
    return { refused, because };
  } catch {
    return {}; // its bytes are no message, so that it says nothing
  }
}

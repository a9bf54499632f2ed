import { ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';

/** Rejected part of an accepted request (OTLP, "Partial Success"). */
export interface RefusedPart {
  readonly refused: number;
  readonly because: string;
}

/** Maximum length of the collector's message in the log. */
const MAX_REASON_LENGTH = 300;

/** Returns undefined if everything was accepted or the body is not OTLP, which some collectors send. */
export function refusedPart(signal: 'traces' | 'metrics', response: Uint8Array): RefusedPart | undefined {
  const { refused = 0, because = '' } = read(signal, response);
  return refused > 0 ? { refused, because: because.slice(0, MAX_REASON_LENGTH) } : undefined;
}

function read(
  signal: 'traces' | 'metrics',
  reply: Uint8Array,
): { readonly refused?: number | undefined; readonly because?: string | undefined } {
  try {
    if (signal === 'traces') {
      const { rejectedSpans: refused, errorMessage: because } =
        ProtobufTraceSerializer.deserializeResponse(reply).partialSuccess ?? {};
      return { refused, because };
    }
    const { rejectedDataPoints: refused, errorMessage: because } =
      ProtobufMetricsSerializer.deserializeResponse(reply).partialSuccess ?? {};
    return { refused, because };
  } catch {
    return {}; // a malformed body means that nothing was rejected
  }
}

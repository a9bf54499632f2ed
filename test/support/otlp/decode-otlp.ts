import type { CollectedMetric, CollectedSpan } from '@portolan/plugin-testing';
import { parse, type Type } from 'protobufjs';
import { OTLP_SCHEMA } from './otlp-schema.ts';

const { root } = parse(OTLP_SCHEMA);
const TraceRequest = root.lookupType('otlp.ExportTraceRequest');
const MetricsRequest = root.lookupType('otlp.ExportMetricsRequest');

export type Resource = Readonly<Record<string, unknown>>;

/** A span with the resource and scope around it. */
export interface DecodedSpan extends CollectedSpan {
  readonly resource: Resource;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
}

export function decodeSpans(body: Uint8Array): readonly DecodedSpan[] {
  const { resourceSpans } = read(TraceRequest, body) as TraceMessage; // SAFETY: the schema has this type.
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        resource: attributesOf(resource?.attributes ?? []),
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: span.parentSpanId.length === 0 ? undefined : hex(span.parentSpanId),
        name: span.name,
        kind: SPAN_KINDS[span.kind] ?? String(span.kind),
        attributes: attributesOf(span.attributes),
        failed: span.status?.code === 2,
        text: JSON.stringify([span.name, span.attributes, span.events, span.status]),
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
      })),
    ),
  );
}

export interface DecodedMetric extends CollectedMetric {
  readonly resource: Resource;
}

export function decodeMetrics(body: Uint8Array): readonly DecodedMetric[] {
  // SAFETY: the schema has this type.
  const { resourceMetrics } = read(MetricsRequest, body) as MetricsMessage;
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map((metric) => ({
        resource: attributesOf(resource?.attributes ?? []),
        name: metric.name,
        about: metric.description,
        unit: metric.unit,
        ...pointsOf(metric),
      })),
    ),
  );
}

const SPAN_KINDS: Readonly<Record<number, CollectedSpan['kind']>> = {
  1: 'internal',
  2: 'server',
  3: 'client',
};

function pointsOf({ gauge, sum, histogram }: MetricMessage): Pick<CollectedMetric, 'kind' | 'points'> {
  if (histogram !== undefined) {
    const points = histogram.dataPoints.map(({ attributes, bucketCounts, explicitBounds, ...point }) => ({
      attributes: attributesOf(attributes),
      value: {
        boundaries: explicitBounds,
        counts: bucketCounts.map(Number),
        sum: point.sum,
        count: Number(point.count),
      },
    }));
    return { kind: 'histogram', points };
  }
  const points = (gauge ?? sum)?.dataPoints.map((point) => ({
    attributes: attributesOf(point.attributes),
    value: point.asDouble ?? Number(point.asInt),
  }));
  const isCounter = sum?.isMonotonic === true && sum.aggregationTemporality === 2;
  return { kind: isCounter ? 'counter' : 'gauge', points: points ?? [] };
}

function attributesOf(pairs: readonly PairMessage[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value = {} }) => {
      const { stringValue, boolValue, intValue, doubleValue } = value;
      return [key, stringValue ?? boolValue ?? doubleValue ?? Number(intValue)];
    }),
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Throws for bytes that are not such a message. */
function read(type: Type, body: Uint8Array): unknown {
  const plain: unknown = type.toObject(type.decode(body), { longs: String, arrays: true });
  return withDefaults(plain, type);
}

/** A single value that was not sent has its zero value. */
function withDefaults(value: unknown, type: Type): unknown {
  const filled: Record<string, unknown> = { ...Object(value) };
  for (const field of type.fieldsArray) {
    const { name, resolvedType, repeated, partOf, defaultValue } = field.resolve();
    const inner = resolvedType !== null && 'fieldsArray' in resolvedType ? resolvedType : undefined;
    const match = filled[name];
    if (Array.isArray(match) && inner !== undefined)
      filled[name] = match.map((item) => withDefaults(item, inner));
    else if (match !== undefined && inner !== undefined) filled[name] = withDefaults(match, inner);
    else if (match === undefined && inner === undefined && !repeated && partOf === null)
      filled[name] = defaultValue;
  }
  return filled;
}

interface PairMessage {
  readonly key: string;
  readonly value?: {
    readonly stringValue?: string;
    readonly boolValue?: boolean;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}
interface ResourceMessage {
  readonly attributes: readonly PairMessage[];
}
interface TraceMessage {
  readonly resourceSpans: readonly {
    readonly resource?: ResourceMessage;
    readonly scopeSpans: readonly { readonly spans: readonly SpanMessage[] }[];
  }[];
}
interface SpanMessage {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly PairMessage[];
  readonly events: readonly unknown[];
  readonly status?: { readonly code: number; readonly message: string };
}
interface MetricsMessage {
  readonly resourceMetrics: readonly {
    readonly resource?: ResourceMessage;
    readonly scopeMetrics: readonly { readonly metrics: readonly MetricMessage[] }[];
  }[];
}
interface NumberPointMessage {
  readonly attributes: readonly PairMessage[];
  readonly asDouble?: number;
  readonly asInt?: string;
}
interface MetricMessage {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly gauge?: { readonly dataPoints: readonly NumberPointMessage[] };
  readonly sum?: {
    readonly dataPoints: readonly NumberPointMessage[];
    readonly isMonotonic: boolean;
    readonly aggregationTemporality: number;
  };
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly attributes: readonly PairMessage[];
      readonly bucketCounts: readonly string[];
      readonly explicitBounds: readonly number[];
      readonly sum: number;
      readonly count: string;
    }[];
  };
}

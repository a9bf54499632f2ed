import { resolve } from 'node:path';
import {
  type Attributes,
  BatchedWork,
  type ClientMessage,
  type ClientRequest,
  type KindProblem,
  type MetricSnapshot,
  METRICS_CONTENT_TYPES,
  type ProxyMiddleware,
  type ProxyMiddlewareContext,
  type ProxyMiddlewareKind,
  readSmallFile,
  type RequestEnd,
  writeMetrics,
} from '@portolan/plugin-api';
import { checkOtlp } from '../check-otlp.ts';
import { endpointInvalid } from '../errors.ts';
import type { OtlpConfig } from '../otlp-config.ts';
import type { ActiveSpan, OtelTracer } from '../otel-tracer.ts';
import { parseEndpoint } from '../parse-endpoint.ts';
import type { RunningOtlp } from '../start-otlp.ts';
import { type End, factsOf, isSuccess, outcomeStatusOf } from './call-facts.ts';
import { CallMetrics } from './call-metrics.ts';
import { traceIn } from './named-target.ts';
import { type ProxyTelemetryConfig, proxyTelemetryConfig } from './proxy-telemetry-config.ts';
import { resourceOf } from './resource-of.ts';
import { keepSpan, takeAllSpans, takeSpan } from './running-spans.ts';
import { type AttributeOptions, connectionAttributes, spanAttributes, spanName } from './span-attributes.ts';

const EXPORT_INTERVAL = '60s';

/**
 * Proxy middleware kind `telemetry`: one span per message, and metrics. Loads the OpenTelemetry SDK only if a
 * collector is configured.
 */
export const proxyTelemetry: ProxyMiddlewareKind<typeof proxyTelemetryConfig> = {
  kind: 'telemetry',
  placed: 'observe',
  config: proxyTelemetryConfig,
  check: checkTelemetry,
  create: openTelemetry,
};

function checkTelemetry(
  config: ProxyTelemetryConfig,
  context: { readonly directory: string },
): readonly KindProblem[] {
  const { endpoint, tracingEnabled, metricsEnabled, customAttributes } = config;
  const nameless = Object.keys(customAttributes).some((name) => name.trim() === '');
  return [
    ...(endpoint === ''
      ? []
      : checkOtlp(
          otlpOf(config, (text) => text),
          context,
        )),
    ...(endpoint !== '' && !tracingEnabled && !metricsEnabled
      ? [
          {
            place: 'endpoint',
            found: 'a collector, while traces and metrics are disabled',
            expected: 'tracingEnabled or metricsEnabled, or no endpoint',
          },
        ]
      : []),
    ...(nameless ? [{ place: 'customAttributes', found: 'an empty name', expected: 'names' }] : []),
  ];
}

function otlpOf(
  { endpoint, insecure, headers, caCertPath }: ProxyTelemetryConfig,
  secret: (reference: string) => string,
): OtlpConfig {
  const values = Object.entries(headers).map(([name, value]) => [name, secret(value)]);
  return {
    endpoint,
    insecure,
    headers: Object.fromEntries(values),
    exportInterval: EXPORT_INTERVAL,
    ...(caCertPath === undefined ? {} : { caCertPath }),
  };
}

async function openTelemetry(
  config: ProxyTelemetryConfig,
  context: ProxyMiddlewareContext,
): Promise<ProxyMiddleware> {
  const { environment, logger } = context;
  const metrics = new CallMetrics(context.clock);
  const ended = new BatchedWork((error) => logger.error({ error }, 'a call cannot be counted'));
  const read = (): MetricSnapshot => {
    ended.finish();
    return metrics.read();
  };
  const running = config.endpoint === '' ? undefined : await startSending(config, read, context);
  const calls = new CallTelemetry(metrics, running?.tracer, context.workload, {
    useLegacyAttributes: config.useLegacyAttributes,
    always: Object.fromEntries(
      config.environmentVariables.map((name) => [`environment.${name}`, environment[name] ?? '']),
    ),
  });
  const showsMetrics = config.enablePrometheusMetricsPath && config.metricsOnTransportPort;
  return {
    onRequest: () => calls.came(),
    onMessage: (message, { request }) => calls.said(message, request),
    onResponseHead: ({ status, isStream, durationMs, messages }, request) => {
      if (isStream)
        calls.streamed(request, messages, {
          status,
          durationMs,
          responseBytes: undefined,
          refusedWith: undefined,
        });
    },
    onEnd: (end, request) => {
      // The list still grows when responses arrive on another stream.
      const refusals = [...end.refusals];
      ended.add(() => calls.ended(request, { ...end, refusals }));
    },
    onDrift: ({ type, kind }) => metrics.drifted({ server: context.workload.server, event: type, kind }),
    ...(showsMetrics ? { servedPaths: [metricsPath(read)] } : {}),
    close: async () => {
      ended.finish();
      await running?.close();
    },
  };
}

async function startSending(
  config: ProxyTelemetryConfig,
  read: () => MetricSnapshot,
  context: ProxyMiddlewareContext,
): Promise<RunningOtlp> {
  const settings = otlpOf(config, (reference) => context.secret(reference));
  const address = parseEndpoint(settings);
  if ('fault' in address) throw endpointInvalid(address.fault);
  const { caCertPath } = settings;
  const ca =
    caCertPath === undefined ? undefined : await readSmallFile(resolve(context.directory, caCertPath));
  const { startOtlp } = await import('../start-otlp.ts');
  const options = {
    resource: resourceOf(config, context),
    ...(config.tracingEnabled ? { tracing: { sampling: config.samplingRate } } : {}),
    ...(config.metricsEnabled ? { metrics: { read: async () => read() } } : {}),
  };
  return await startOtlp(options, { config: settings, address, ca, context });
}

function metricsPath(read: () => MetricSnapshot) {
  return {
    path: '/metrics',
    methods: ['GET', 'HEAD'],
    respond: async () => ({
      status: 200,
      headers: { 'Content-Type': METRICS_CONTENT_TYPES.prometheus },
      body: await writeMetrics(read().metrics, 'prometheus'),
    }),
  };
}

class CallTelemetry {
  readonly #metrics: CallMetrics;
  readonly #tracer: OtelTracer | undefined;
  readonly #workload: ProxyMiddlewareContext['workload'];
  readonly #options: AttributeOptions;
  readonly #labels: Attributes;
  readonly #ofStreams: Attributes;
  /** Streams whose messages were counted when they opened. */
  readonly #streams = new WeakSet<ClientRequest>();

  constructor(
    metrics: CallMetrics,
    tracer: OtelTracer | undefined,
    workload: ProxyMiddlewareContext['workload'],
    options: AttributeOptions,
  ) {
    this.#metrics = metrics;
    this.#tracer = tracer;
    this.#workload = workload;
    this.#options = options;
    this.#labels = { server: workload.server, transport: workload.transport };
    this.#ofStreams = { ...this.#labels, connection_type: 'sse' };
  }

  came(): void {
    this.#metrics.connected(this.#labels, 1);
  }

  said(message: ClientMessage, request: ClientRequest): void {
    if (message.kind === 'response') return;
    const running = this.#begin(request, message);
    if (running !== undefined) keepSpan(request, message, running);
  }

  /** A stream can last for hours, so only its opening is recorded. */
  streamed(request: ClientRequest, messages: readonly ClientMessage[], end: End): void {
    const isGet = request.method === 'GET';
    const listens = messages.some((one) => one.kind === 'request' && one.method === 'subscriptions/listen');
    if (!isGet && !listens) return;
    this.#streams.add(request);
    this.#metrics.connected(this.#labels, -1);
    this.#metrics.connected(this.#ofStreams, 1);
    if (!isGet) {
      for (const message of messages) this.#end(request, message, end);
      return;
    }
    const facts = { ...factsOf(request, this.#workload, undefined, end), method: 'sse_connection' };
    this.#metrics.record(facts);
    const running = this.#begin(request, undefined);
    running?.span.rename('sse.connection_established');
    running?.span.set(connectionAttributes({ ...facts, method: 'unknown' }, this.#options));
    running?.span.succeed();
    running?.span.end();
  }

  ended(request: ClientRequest, end: RequestEnd): void {
    const { messages } = end;
    if (this.#streams.has(request)) {
      this.#metrics.connected(this.#ofStreams, -1);
      return;
    }
    this.#metrics.connected(this.#labels, -1);
    if (messages.length === 0) this.#end(request, undefined, endOf(end));
    for (const message of messages) this.#end(request, message, endOf(end, message));
    for (const left of takeAllSpans(request)) left.span.end(timeOf(request, end));
  }

  /**
   * Starts a span. The trace context in a message takes precedence, because intermediaries may replace
   * headers.
   */
  #begin(request: ClientRequest, message: ClientMessage | undefined): ActiveSpan | undefined {
    const tracer = this.#tracer;
    if (tracer === undefined) return undefined;
    const { traceparent, tracestate } = request.headers;
    const trace = message === undefined ? undefined : traceIn(message);
    const parent = trace?.traceparent === undefined ? { traceparent, tracestate } : trace;
    const name = spanName(request.method, request.path);
    return tracer.begin({ name, kind: 'server', parent, begunAt: request.receivedAt });
  }

  #end(request: ClientRequest, message: ClientMessage | undefined, end: End): void {
    const facts = factsOf(request, this.#workload, message, end);
    this.#metrics.record(facts);
    const stored = message === undefined ? undefined : takeSpan(request, message);
    const running = stored ?? (message?.kind === 'response' ? undefined : this.#begin(request, message));
    if (running === undefined) return;
    const { span } = running;
    if (span.ids !== undefined) {
      const { method, target } = facts;
      const status = outcomeStatusOf(end);
      if (method !== 'unknown') span.rename(spanName(method, target?.name));
      span.set(spanAttributes(facts, this.#options));
      if (status >= 500) span.fail(end.refusedWith ?? String(status));
      else if (isSuccess(end)) span.succeed();
    }
    span.end(timeOf(request, end));
  }
}

function endOf({ refusals, status, durationMs, responseBytes }: RequestEnd, message?: ClientMessage): End {
  const id = message?.kind === 'request' ? message.id : undefined;
  const refusal = refusals.find((one) => one.id === id) ?? refusals.find((one) => one.id === undefined);
  return { status, durationMs, responseBytes, refusedWith: refusal?.code, refusalStatus: refusal?.status };
}

/** Returns the end time in milliseconds since 1970. */
function timeOf({ receivedAt }: ClientRequest, { durationMs }: Pick<End, 'durationMs'>): number {
  return receivedAt.getTime() + durationMs;
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Logger, Span, Telemetry, TelemetryOptions, TraceHeaders, Tracer } from '@portolan/plugin-api';
import { type CollectedMetric, type CollectedSpan } from '../../src/index.ts';

/** What a telemetry kind may do wrong, one thing at a time. */
export interface TelemetryFaults {
  readonly losesContext?: boolean;
  readonly recordsOrphans?: boolean;
  readonly believesAnything?: boolean;
  readonly ignoresSampling?: boolean;
  readonly samplesEverything?: boolean;
  readonly tellsMessages?: boolean;
  readonly swallows?: boolean;
  readonly failsForMistakes?: boolean;
  readonly endsLate?: boolean;
  readonly losesUnits?: boolean;
  readonly tracesUnasked?: boolean;
  readonly keepsTimer?: boolean;
  readonly complainsAlways?: boolean;
}

interface Node {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  readonly state: string | undefined;
  isOver: boolean;
}

const KEPT_TIMERS = new Set<NodeJS.Timeout>();

/** Ends what instances with the fault `keepsTimer` have left: not by itself, since one case would then hide what another leaves. */
export function clearKeptTimers(): void {
  for (const timer of KEPT_TIMERS) clearInterval(timer);
  KEPT_TIMERS.clear();
}

/** Keeps in memory what it is told: the least that a telemetry kind has to do. */
export class MemoryTelemetry implements Telemetry {
  readonly spans: CollectedSpan[] = [];
  metrics: CollectedMetric[] = [];
  readonly #faults: TelemetryFaults;
  readonly #logger: Logger;
  readonly #isHeard: boolean;

  constructor(faults: TelemetryFaults, logger: Logger, isHeard = true) {
    this.#faults = faults;
    this.#logger = logger;
    this.#isHeard = isHeard;
  }

  start({ tracing, metrics }: TelemetryOptions) {
    const faults = this.#faults;
    const isTraced = tracing !== undefined || faults.tracesUnasked === true;
    const tell = (span: CollectedSpan): void => {
      if (this.#isHeard) this.spans.push(span);
      else if (faults.complainsAlways === true || this.#unheard++ === 0)
        this.#logger.warn({}, 'nobody hears');
    };
    // Some more than one: resources are counted, and a timer of another test may end meanwhile.
    for (let left = faults.keepsTimer === true ? 20 : 0; left > 0; left -= 1) {
      KEPT_TIMERS.add(setInterval(() => undefined, 1000));
    }
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      try {
        const read = await metrics?.read();
        this.metrics = (read?.metrics ?? []).map((metric) => ({
          ...metric,
          unit: faults.losesUnits === true ? '' : (metric.unit ?? ''),
        }));
      } catch {
        // The next reading may do.
      }
    };
    return {
      ...(isTraced ? { tracer: createTracer(faults, tracing?.sampling ?? 1, tell) } : {}),
      close: () => (closing ??= close()),
    };
  }

  #unheard = 0;
}

const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

function createTracer(faults: TelemetryFaults, share: number, tell: (span: CollectedSpan) => void): Tracer {
  const running = new AsyncLocalStorage<Node>();
  const lost = new AsyncLocalStorage<Node>();
  const current = (): Node | undefined => running.getStore();
  const parentOf = (headers: TraceHeaders | undefined): Node | undefined => {
    if (headers === undefined) return current();
    const { traceparent, tracestate } = headers;
    const [, traceId, spanId, flags] = PARENT.exec(String(traceparent)) ?? [];
    if (traceId === undefined || spanId === undefined)
      return faults.believesAnything === true ? current() : undefined;
    const sampled = faults.ignoresSampling === true || flags === '01';
    return { traceId, spanId, sampled, state: String(tracestate), isOver: false };
  };
  return {
    trace(start, work) {
      const parent = parentOf(start.parent);
      const isRequested = start.kind === 'server' && faults.samplesEverything !== true;
      const node: Node = {
        traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        sampled: parent?.sampled ?? (!isRequested || Math.random() < share),
        state: parent?.state,
        isOver: false,
      };
      let { name } = start;
      let failed = false;
      const attributes: Record<string, unknown> = { ...start.attributes };
      const messages: string[] = [];
      const end = (): void => {
        if (node.isOver) return;
        node.isOver = true;
        const { traceId, spanId } = node;
        const report = {
          traceId,
          spanId,
          parentSpanId: parent?.spanId,
          name,
          kind: start.kind ?? 'internal',
        };
        if (node.sampled)
          tell({ ...report, attributes, failed, text: JSON.stringify([attributes, messages]) });
      };
      const endWith = (error: unknown): void => {
        const { status, code, message } = Object(error);
        if (faults.tellsMessages === true) messages.push(message);
        if (status === undefined || faults.failsForMistakes === true) failed = true;
        attributes['error.type'] = code;
        end();
      };
      const run = <T>(more: () => T): T => (faults.losesContext === true ? lost : running).run(node, more);
      const span: Span = {
        ids: node.sampled ? { traceId: node.traceId, spanId: node.spanId } : undefined,
        rename: (other) => (name = other),
        set: (more) => void Object.assign(attributes, more),
        fail: (type) => {
          failed = true;
          attributes['error.type'] = type;
        },
        succeed: () => undefined,
        end: faults.endsLate === true ? () => void setTimeout(end, 20) : end,
        run: faults.endsLate === true ? (more) => more() : run,
      };
      const handle = (error: unknown): void => {
        endWith(error);
        if (faults.swallows !== true) throw error;
      };
      let result: ReturnType<typeof work>;
      try {
        result = run(() => work(span));
      } catch (error) {
        handle(error);
        return undefined as ReturnType<typeof work>; // that is the fault
      }
      if (!(result instanceof Promise)) {
        end();
        return result;
      }
      return result.then((value: unknown) => {
        end();
        return value;
      }, handle) as ReturnType<typeof work>; // a promise of the same
    },
    record({ name, kind = 'internal', attributes = {} }) {
      const node = current();
      const isThere = node !== undefined && node.sampled && !node.isOver;
      if (!isThere && faults.recordsOrphans !== true) return;
      const spanId = randomBytes(8).toString('hex');
      const { traceId = randomBytes(16).toString('hex'), spanId: parentSpanId } = node ?? {};
      tell({ traceId, spanId, parentSpanId, name, kind, attributes, failed: false, text: '' });
    },
    current() {
      const node = current();
      return node?.sampled === true && !node.isOver
        ? { traceId: node.traceId, spanId: node.spanId }
        : undefined;
    },
    headers() {
      const node = current();
      if (node === undefined) return {};
      const traceparent = `00-${node.traceId}-${node.spanId}-${node.sampled ? '01' : '00'}`;
      return { traceparent, ...(node.state === undefined ? {} : { tracestate: node.state }) };
    },
  };
}

import {
  type Attributes,
  type Distribution,
  type LogOutput,
  type Metric,
  type MetricPoint,
  type MetricSnapshot,
  standardError,
} from '@portolan/plugin-api';
import { type CallFacts, errorTypeOf, isSuccess, networkOf } from './call-facts.ts';
import { cutBytes } from './shown-arguments.ts';

/** Histogram boundaries in seconds. */
export const BUCKETS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Maximum number of series per metric. Clients choose methods and names; further series are counted as
 * `other`.
 */
export const MAX_SERIES = 1000;
const OTHER = 'other';
const MAX_LABEL_BYTES = 128;

/** Labels whose values clients choose. */
const CHOSEN = new Set([
  'method',
  'mcp_method',
  'mcp_resource_id',
  'tool',
  'mcp.method.name',
  'gen_ai.tool.name',
  'gen_ai.prompt.name',
]);

interface Series<Value> {
  readonly attributes: Attributes;
  value: Value;
}

class Family<Value> {
  readonly #make: () => Value;
  readonly #series = new Map<string, Series<Value>>();

  constructor(make: () => Value) {
    this.#make = make;
  }

  get points(): readonly Series<Value>[] {
    return [...this.#series.values()];
  }

  of(attributes: Attributes): Series<Value> {
    const key = keyOf(attributes);
    const sery = this.#series.get(key);
    if (sery !== undefined) return sery;
    if (this.#series.size < MAX_SERIES) return this.#add(attributes, key);
    const entries = Object.entries(attributes);
    const together = Object.fromEntries(
      entries.map(([name, value]) => [name, CHOSEN.has(name) ? OTHER : value]),
    );
    const shared = keyOf(together);
    return this.#series.get(shared) ?? this.#add(together, shared);
  }

  #add(attributes: Attributes, key: string): Series<Value> {
    const series = { attributes, value: this.#make() };
    this.#series.set(key, series);
    return series;
  }
}

interface Counts {
  readonly counts: number[];
  sum: number;
  count: number;
}

interface CallSeries {
  readonly requests: Series<number>;
  readonly durations: Series<Counts>;
  readonly toolCalls: Series<number> | undefined;
  readonly operations: Series<Counts> | undefined;
}

/** Metrics of calls, and the number of log lines that the supervisor lost. */
export class CallMetrics {
  readonly #clock: () => Date;
  readonly #log: Pick<LogOutput, 'lostLines'>;
  readonly #since: Date;
  /** Series of repeated calls, which need no look-up by labels. At most as many as series. */
  readonly #known = new Map<string, CallSeries>();
  readonly #requests = new Family(() => 0);
  readonly #durations = new Family(emptyCounts);
  readonly #active = new Family(() => 0);
  readonly #connections = new WeakMap<Attributes, Series<number>>();
  readonly #toolCalls = new Family(() => 0);
  readonly #operations = new Family(emptyCounts);
  readonly #drift = new Family(() => 0);

  constructor(clock: () => Date, log: Pick<LogOutput, 'lostLines'> = standardError) {
    this.#clock = clock;
    this.#log = log;
    this.#since = clock();
  }

  /** Counts an opened (+1) or closed (-1) connection. */
  connected(labels: Attributes, change: 1 | -1): void {
    let series = this.#connections.get(labels);
    if (series === undefined) this.#connections.set(labels, (series = this.#active.of(labels)));
    series.value += change;
  }

  /** Counts a difference between the server and what was approved. */
  drifted(labels: Attributes): void {
    this.#drift.of(labels).value += 1;
  }

  record(facts: CallFacts): void {
    const { requests, durations, toolCalls, operations } = this.#seriesOf(facts);
    const seconds = facts.durationMs / 1000;
    requests.value += 1;
    add(durations.value, seconds);
    if (toolCalls !== undefined) toolCalls.value += 1;
    if (operations !== undefined) add(operations.value, seconds);
  }

  #seriesOf(facts: CallFacts): CallSeries {
    const kind = kindOf(facts);
    const known = kind === undefined ? undefined : this.#known.get(kind);
    if (known !== undefined) return known;
    const callSeries = this.#findSeries(facts);
    if (kind !== undefined) {
      if (this.#known.size >= MAX_SERIES) this.#known.clear();
      this.#known.set(kind, callSeries);
    }
    return callSeries;
  }

  #findSeries(facts: CallFacts): CallSeries {
    const { method, target, workload, status, request } = facts;
    const outcome = isSuccess(facts) ? 'success' : 'error';
    const labels = {
      method: labelOf(request.method),
      status_code: String(status),
      status: outcome,
      mcp_method: labelOf(method),
      mcp_resource_id: labelOf(target?.name ?? ''),
      server: workload.server,
      transport: workload.transport,
    };
    const tool = { server: workload.server, tool: labelOf(target?.name ?? ''), status: outcome };
    return {
      requests: this.#requests.of(labels),
      durations: this.#durations.of(labels),
      toolCalls: method === 'tools/call' ? this.#toolCalls.of(tool) : undefined,
      operations: facts.message?.kind === 'request' ? this.#operations.of(operationOf(facts)) : undefined,
    };
  }

  read(): MetricSnapshot {
    const metrics: readonly Metric[] = [
      counter('portolan.mcp.requests', 'Messages and requests of clients.', this.#requests),
      histogram('portolan.mcp.request.duration', 'Time to respond.', this.#durations),
      {
        name: 'portolan.mcp.active_connections',
        about: 'Requests and streams that are open.',
        unit: undefined,
        kind: 'gauge',
        points: this.#active.points,
      },
      counter('portolan.mcp.tool_calls', 'Calls of tools.', this.#toolCalls),
      histogram('mcp.server.operation.duration', 'Time of an operation of MCP.', this.#operations),
      counter(
        'portolan.mcp.drift',
        'Differences between the server and what was approved, and their approvals.',
        this.#drift,
      ),
      {
        name: 'portolan.log.lines.lost',
        about: 'Log lines that could not be written to standard error, as on a full disk.',
        unit: undefined,
        kind: 'counter',
        points: [{ attributes: {}, value: this.#log.lostLines }],
      },
    ];
    return {
      since: this.#since,
      at: this.#clock(),
      metrics: metrics.filter(({ points }) => points.length > 0),
    };
  }
}

/** Returns the key of the series of a call; undefined if its names are too long to keep. */
function kindOf({
  method,
  target,
  status,
  refusedWith,
  message,
  workload,
  request,
}: CallFacts): string | undefined {
  const name = target?.name ?? '';
  if (method.length > MAX_LABEL_BYTES || name.length > MAX_LABEL_BYTES) return undefined;
  const named = `${method.length}\n${method}\n${target?.kind}\n${name.length}\n${name}`;
  const ended = `${message?.kind}\n${status}\n${refusedWith}`;
  return `${request.method}\n${request.httpVersion}\n${workload.server}\n${workload.transport}\n${ended}\n${named}`;
}

function operationOf(facts: CallFacts): Attributes {
  const { method, target, workload, request } = facts;
  const error = errorTypeOf(facts);
  return {
    'mcp.method.name': labelOf(method),
    'jsonrpc.protocol.version': '2.0',
    'network.transport': networkOf(workload),
    'network.protocol.name': 'http',
    ...(request.httpVersion === undefined ? {} : { 'network.protocol.version': request.httpVersion }),
    ...(error === undefined ? {} : { 'error.type': error }),
    ...(method === 'tools/call' ? { 'gen_ai.operation.name': 'execute_tool' } : {}),
    ...(target?.kind === 'tool' ? { 'gen_ai.tool.name': labelOf(target.name) } : {}),
    ...(target?.kind === 'prompt' ? { 'gen_ai.prompt.name': labelOf(target.name) } : {}),
  };
}

function counter(name: string, about: string, { points }: Family<number>): Metric {
  return { name, about, unit: undefined, kind: 'counter', points: points.map(({ ...point }) => point) };
}

function histogram(name: string, about: string, { points }: Family<Counts>): Metric {
  const copied = points.map(
    ({ attributes, value: { counts, sum, count } }): MetricPoint<Distribution> => ({
      attributes,
      value: { boundaries: BUCKETS, counts: [...counts], sum, count },
    }),
  );
  return { name, about, unit: 's', kind: 'histogram', points: copied };
}

function emptyCounts(): Counts {
  return { counts: [...BUCKETS, Infinity].map(() => 0), sum: 0, count: 0 };
}

/** Counts a value. A value equal to a boundary belongs to the lower bucket. */
function add(into: Counts, value: number): void {
  let at = 0;
  while (at < BUCKETS.length && value > (BUCKETS[at] ?? 0)) at += 1;
  into.counts[at] = (into.counts[at] ?? 0) + 1;
  into.sum += value;
  into.count += 1;
}

/** Returns a key for labels in their order. Faster than JSON. */
function keyOf(attributes: Attributes): string {
  let key = '';
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    key += `${name}=${text.length}:${text},`;
  }
  return key;
}

function labelOf(text: string): string {
  return cutBytes(text, MAX_LABEL_BYTES);
}

/** Name, unit and labels of a metric, as OpenTelemetry defines them where it does. */
export interface MetricDescription {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** Unit in OpenTelemetry's notation. Undefined for a plain number. */
  readonly unit?: 's' | 'By';
  readonly labels: readonly string[];
  readonly about: string;
}

const REQUEST_LABELS = ['http.request.method', 'http.route', 'http.response.status_code'];
const POOL = 'db.client.connection.pool.name';

export const METRICS = {
  requestDuration: histogram('http.server.request.duration', REQUEST_LABELS, 'Time to answer.'),
  requests: counter('portolan.http.requests', REQUEST_LABELS, 'Requests with a response.'),
  activeRequests: gauge('http.server.active_requests', ['http.request.method'], 'Requests that run now.'),
  syncDuration: histogram(
    'portolan.sync.duration',
    ['source', 'outcome'],
    'Time one sync of a source took on this server.',
  ),
  syncVersions: counter(
    'portolan.sync.versions',
    ['source', 'change'],
    'Versions that syncs on this server have added, changed and removed.',
  ),
  lastGoodSync: gauge(
    'portolan.sync.last_success.timestamp',
    ['source'],
    'When a source was last read without an error, by whichever server; in seconds since 1970.',
    's',
  ),
  entries: gauge('portolan.registry.entries', ['source', 'type'], 'Entries by source and type.'),
  errors: counter(
    'portolan.errors',
    ['area', 'error_type'],
    'Failures of requests (by error code) and of syncs.',
  ),
  lostLogLines: counter(
    'portolan.log.lines.lost',
    [],
    'Log lines that could not be written to standard error, as on a full disk.',
  ),
  poolConnections: gauge(
    'db.client.connection.count',
    [POOL, 'db.client.connection.state'],
    'Connections to PostgreSQL that are open: idle or used.',
  ),
  poolLimit: gauge('db.client.connection.max', [POOL], 'Most connections that may be open.'),
  poolWaiting: gauge(
    'db.client.connection.pending_requests',
    [POOL],
    'What waits for a connection that is free.',
  ),
  cpuTime: counter('process.cpu.time', ['cpu.mode'], 'Time of the processor, for the whole process.', 's'),
  memory: gauge('process.memory.usage', [], 'Memory of the process that is resident.', 'By'),
  uptime: gauge('process.uptime', [], 'Time since the process began.', 's'),
  loopTime: counter(
    'nodejs.eventloop.time',
    ['nodejs.eventloop.state'],
    'Time the event loop was active or idle.',
    's',
  ),
  loopDelayMean: delay('mean', 'mean'),
  loopDelayP50: delay('p50', 'half of them were shorter'),
  loopDelayP99: delay('p99', 'all but one in a hundred were shorter'),
  loopDelayMax: delay('max', 'longest'),
  buildInfo: gauge(
    'portolan.build_info',
    ['version', 'commit', 'node'],
    'Always 1; its labels say which build runs.',
  ),
} as const satisfies Readonly<Record<string, MetricDescription>>;

export type MetricKey = keyof typeof METRICS;

function histogram(name: string, labels: readonly string[], about: string): MetricDescription {
  return { name, kind: 'histogram', unit: 's', labels, about };
}

function counter(
  name: string,
  labels: readonly string[],
  about: string,
  unit?: MetricDescription['unit'],
): MetricDescription {
  return { name, kind: 'counter', labels, about, ...(unit === undefined ? {} : { unit }) };
}

function gauge(
  name: string,
  labels: readonly string[],
  about: string,
  unit?: MetricDescription['unit'],
): MetricDescription {
  return { name, kind: 'gauge', labels, about, ...(unit === undefined ? {} : { unit }) };
}

function delay(statistic: string, meaning: string): MetricDescription {
  const about = `How late timers were since the last scrape: ${meaning}.`;
  return gauge(`nodejs.eventloop.delay.${statistic}`, [], about, 's');
}

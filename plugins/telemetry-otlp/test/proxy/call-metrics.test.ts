import { type ClientMessage, type ClientRequest, LogOutput, writeMetrics } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type End, factsOf } from '../../src/proxy/call-facts.ts';
import { BUCKETS, CallMetrics, MAX_SERIES } from '../../src/proxy/call-metrics.ts';

const WORKLOAD = {
  name: 'w',
  server: 'io.example/w',
  transport: 'stdio',
  isRemote: false,
  trustsProxyHeaders: false,
  directory: '/nowhere',
};
const REQUEST: ClientRequest = {
  method: 'POST',
  path: '/mcp',
  query: '',
  headers: {},
  remoteAddress: '',
  receivedAt: new Date(0),
  caller: undefined,
  program: undefined,
};
const END: End = { status: 200, durationMs: 10, responseBytes: 1, refusedWith: undefined };
const call = (name: string): ClientMessage => ({
  kind: 'request',
  text: '{}',
  id: '1',
  method: 'tools/call',
  params: { name },
});

describe('CallMetrics', () => {
  const record = (metrics: CallMetrics, message: ClientMessage | undefined, end: Partial<End> = {}) =>
    metrics.record(factsOf(REQUEST, WORKLOAD, message, { ...END, ...end }));

  it('counts differences between the server and what was approved', async () => {
    const metrics = new CallMetrics(() => new Date(0));
    for (const kind of ['tool', 'tool', 'prompt'])
      metrics.drifted({ server: 'io.example/w', event: 'drift_held', kind });
    const text = await writeMetrics(metrics.read().metrics, 'prometheus');
    expect(text).to.match(/portolan_mcp_drift_total\{.*kind="tool".*\} 2\n/);
    expect(text).to.match(/portolan_mcp_drift_total\{.*kind="prompt".*\} 1\n/);
  });

  it('uses the buckets of ToolHive, with inclusive upper boundaries', async () => {
    expect(BUCKETS).to.deep.equal([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]);
    const metrics = new CallMetrics(() => new Date(0));
    for (const durationMs of [10, 11, 300_000, 300_001]) record(metrics, call('a'), { durationMs });
    const text = await writeMetrics(metrics.read().metrics, 'prometheus');
    const bucket = (le: string): string | undefined =>
      new RegExp(`mcp_server_operation_duration_seconds_bucket\\{.*le="${le}"\\} (\\d+)`).exec(text)?.[1];
    expect([bucket('0.01'), bucket('0.02'), bucket('300'), bucket('\\+Inf')]).to.deep.equal([
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(text).to.match(/portolan_mcp_request_duration_seconds_sum\{.*\} 600\.02\d*\n/);
  });

  it("counts the supervisor's log lines that a full disk lost", async () => {
    const log = new LogOutput(2, () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    const metrics = new CallMetrics(() => new Date(0), log);
    const shown = (): Promise<string> => writeMetrics(metrics.read().metrics, 'prometheus');
    expect(await shown()).to.include('portolan_log_lines_lost_total 0\n');
    log.write('one\ntwo\n');
    expect(await shown()).to.include('portolan_log_lines_lost_total 2\n');
  });

  it('combines series of invented names above a maximum', () => {
    const metrics = new CallMetrics(() => new Date(0));
    for (let at = 0; at < MAX_SERIES + 500; at += 1) record(metrics, call(`tool-${at}`));
    const [requests] = metrics.read().metrics;
    expect(requests?.points).to.have.length(MAX_SERIES + 1);
    expect(requests?.points.at(-1)).to.deep.include({ value: 500 });
    expect(requests?.points.at(-1)?.attributes).to.include({ mcp_resource_id: 'other', mcp_method: 'other' });
  });

  it('counts equal calls in one series, and different ones in others', () => {
    const method = (name: string): ClientMessage => ({
      kind: 'request',
      text: '{}',
      id: '1',
      method: name,
      params: { name: 'a' },
    });
    const told: ClientMessage = {
      kind: 'notification',
      text: '{}',
      method: 'tools/call',
      params: { name: 'a' },
    };
    const calls: readonly (readonly [ClientMessage | undefined, Partial<End>])[] = [
      [call('a'), {}],
      [call('b'), {}],
      [call(''), {}],
      [call('undefined'), {}],
      [told, {}],
      [undefined, {}],
      [method('prompts/get'), {}],
      [method('resources/read'), {}],
      [method('tools/call\n1\na'), {}],
      [call('x'.repeat(200)), {}],
      [call('x'.repeat(201)), {}],
      [call('a'), { status: 404 }],
      [call('a'), { status: 500 }],
      [call('a'), { status: 0 }],
      [call('a'), { refusedWith: 'ERR_ONE' }],
      [call('a'), { refusedWith: 'ERR_TWO' }],
    ];
    const countsOf = (taken: typeof calls): ReadonlyMap<string, number> => {
      const metrics = new CallMetrics(() => new Date(0));
      for (const [message, end] of taken) record(metrics, message, end);
      const points = metrics.read().metrics.flatMap((metric) =>
        metric.kind === 'histogram'
          ? metric.points.map(({ attributes, value }) => ({
              name: metric.name,
              attributes,
              count: value.count,
            }))
          : metric.points.map(({ attributes, value }) => ({ name: metric.name, attributes, count: value })),
      );
      return new Map(points.map(({ count, ...labels }) => [JSON.stringify(labels), count]));
    };
    const alone = new Map<string, number>();
    for (const one of calls) {
      for (const [labels, count] of countsOf([one])) alone.set(labels, (alone.get(labels) ?? 0) + 2 * count);
    }
    const together = countsOf([...calls, ...calls.toReversed()]);
    expect(Object.fromEntries(together)).to.deep.equal(Object.fromEntries(alone));
  });

  it('labels unreadable messages as unknown, and escapes label values', async () => {
    const metrics = new CallMetrics(() => new Date(0));
    record(metrics, undefined, { status: 403, refusedWith: 'ERR_ORIGIN_NOT_ALLOWED' });
    record(metrics, call('a"b\\c\nd'));
    const text = await writeMetrics(metrics.read().metrics, 'prometheus');
    expect(text).to.include('status_code="403",status="error",mcp_method="unknown",mcp_resource_id=""');
    expect(text).to.include(String.raw`mcp_resource_id="a\"b\\c\nd"`);
  });

  it('omits metrics without a call', () => {
    const { metrics } = new CallMetrics(() => new Date(0)).read();
    expect(metrics.map(({ name }) => name)).to.deep.equal(['portolan.log.lines.lost']);
  });

  it('labels status below 400 as `success`, else as `error`, also a refusal with status 200 (world F7)', () => {
    const ends = [
      { refusedWith: 'ERR_TOOL_UNKNOWN' },
      { status: 399 },
      { status: 400 },
      { status: 0 },
    ] as const;
    const told = ends.map((end) => {
      const metrics = new CallMetrics(() => new Date(0));
      record(metrics, call('a'), end);
      return metrics.read().metrics[0]?.points[0]?.attributes['status'];
    });
    expect(told).to.deep.equal(['error', 'success', 'error', 'error']);
  });
});

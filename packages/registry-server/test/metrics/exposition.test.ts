import { metricFamilyName, prometheusName } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { METRICS, type MetricDescription } from '../../src/metrics/metric-table.ts';
import { prefersOpenMetrics } from '../../src/actions/operation.ts';
import { ServerMetrics } from '../../src/metrics/server-metrics.ts';
import { type Family, parseExposition } from '../support/parse-exposition.ts';

/** A server to which everything happened that is measured. */
function busyMetrics(): ServerMetrics {
  const metrics = new ServerMetrics({
    enabled: true,
    version: { version: '1.2.3', commit: 'abc1234' },
    logger: createRecordingLogger(),
    clock: () => new Date(),
    readFigures: () =>
      Promise.resolve([
        { source: 'a "quoted\\\n', entries: { server: 1 }, lastGoodTime: '2026-01-10T12:00:00.000Z' },
        { source: 'never', entries: { server: 0 } },
      ]),
    readPools: () => [{ name: 'serving', open: 5, idle: 2, waiting: 1, max: 25 }],
  });
  for (const ms of [3, 30, 20_000]) {
    metrics.requestStarted('GET');
    metrics.requestEnded('GET', '/health', 200, ms);
  }
  metrics.requestStarted('PUT');
  metrics.requestEnded('PUT', undefined, 500, 1);
  const sync = {
    source: 'a',
    servers: 1,
    skills: 0,
    plugins: 0,
    skipped: 0,
    added: 0,
    changed: 0,
    removed: 0,
    durationMs: 700,
  };
  metrics.recordSync({ ...sync, outcome: 'failed', error: 'gone' });
  return metrics;
}

const WORDS = { s: 'seconds', By: 'bytes' };

describe('text format of metrics', () => {
  for (const form of ['prometheus', 'openmetrics'] as const) {
    describe(form, () => {
      let families: ReadonlyMap<string, Family>;
      before(async () => {
        const metrics = busyMetrics();
        await metrics.toText(form); // delays are watched from here on
        families = await eventually(async () => {
          const read = parseExposition(await metrics.toText(form), form);
          expect([...read.keys()]).to.include('nodejs_eventloop_delay_max_seconds');
          return read;
        });
        metrics.close();
      });

      it('has exactly the metrics of the table, with type, unit and help', () => {
        const expected = Object.values(METRICS).map((metric: MetricDescription) => [
          metricFamilyName(metric),
          {
            type: metric.kind,
            unit: form === 'openmetrics' && metric.unit !== undefined ? WORDS[metric.unit] : undefined,
            help: metric.about,
          },
        ]);
        const found = [...families].map(([name, { type, unit, help }]) => [name, { type, unit, help }]);
        expect(found).to.deep.equal(expected);
      });

      it('has the labels of the table', () => {
        for (const metric of Object.values(METRICS)) {
          for (const { labels } of families.get(metricFamilyName(metric))?.samples ?? []) {
            const { le: _, ...rest } = labels;
            expect(Object.keys(rest), metric.name).to.have.members(metric.labels.map(prometheusName));
          }
        }
      });

      it('contains the counted values', () => {
        const valuesOf = (name: string) =>
          families.get(name)?.samples.map(({ labels, value }) => [Object.values(labels).at(-1), value]);
        expect(valuesOf('db_client_connection_count')).to.deep.equal([
          ['idle', 2],
          ['used', 3],
        ]);
        expect(valuesOf('db_client_connection_max')).to.deep.equal([['serving', 25]]);
        expect(valuesOf('db_client_connection_pending_requests')).to.deep.equal([['serving', 1]]);
        expect(valuesOf('portolan_sync_last_success_timestamp_seconds')).to.deep.equal([
          ['a "quoted\\\n', Date.UTC(2026, 0, 10, 12) / 1000],
        ]);
        const [memory] = families.get('process_memory_usage_bytes')?.samples ?? [];
        expect(memory?.value).to.be.within(10e6, 10e9);
        const [longest] = families.get('nodejs_eventloop_delay_max_seconds')?.samples ?? [];
        expect(longest?.value).to.be.within(0, 60);
      });
    });
  }
});

describe('prefersOpenMetrics', () => {
  const cases = [
    { accept: '', expected: false },
    { accept: '*/*', expected: false },
    { accept: 'text/plain;version=0.0.4', expected: false },
    { accept: 'application/openmetrics-text', expected: true },
    {
      accept:
        'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.2',
      expected: true,
    },
    { accept: 'text/plain;q=0.9, application/openmetrics-text;q=0.3', expected: false },
    { accept: 'application/openmetrics-text;q=0', expected: false },
  ];
  for (const { accept, expected } of cases) {
    it(`returns ${expected ? 'true' : 'false'} for ${accept === '' ? 'an empty header' : accept}`, () => {
      expect(prefersOpenMetrics(accept)).to.equal(expected);
    });
  }
});

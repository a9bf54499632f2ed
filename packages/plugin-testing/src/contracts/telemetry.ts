import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricSnapshot } from '@portolan/plugin-api';
import { expect } from 'chai';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createRecordingLogger } from '../recording-logger.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { tracerCases } from './telemetry-tracer-cases.ts';
import { ALL, collect, type TelemetryUnderTest, trace } from './telemetry-under-test.ts';

export function telemetryContract(options: TelemetryUnderTest): void {
  registerContract(`telemetry contract: ${options.name}`, telemetryCases(options));
}

const SNAPSHOT: MetricSnapshot = {
  since: new Date('2026-01-01T00:00:00.000Z'),
  at: new Date('2026-01-01T00:01:00.250Z'),
  metrics: [
    {
      name: 'suite.asked',
      about: 'Questions.',
      kind: 'counter',
      unit: undefined,
      points: [{ attributes: { to: 'a' }, value: 3 }],
    },
    {
      name: 'suite.memory',
      about: 'Memory.',
      kind: 'gauge',
      unit: 'By',
      points: [{ attributes: {}, value: 1.5 }],
    },
    {
      name: 'suite.duration',
      about: 'Time.',
      kind: 'histogram',
      unit: 's',
      points: [
        {
          attributes: { to: 'a', status: 200 },
          value: { boundaries: [0.5, 1], counts: [1, 0, 2], sum: 7.25, count: 3 },
        },
      ],
    },
  ],
};

export function telemetryCases(options: TelemetryUnderTest): readonly ContractCase[] {
  return [
    ...kindCases(options.kind, options.blocks),
    ...tracerCases(options),
    {
      title: 'sends every kind of metric unchanged',
      run: async () => {
        const read = () => Promise.resolve(SNAPSHOT);
        const { metrics } = await collect(options, { metrics: { read } }, () => undefined);
        const expected = SNAPSHOT.metrics.map(({ unit = '', ...metric }) => ({ ...metric, unit }));
        const come = metrics.map(({ name, about, kind, unit, points }) => ({
          name,
          about,
          kind,
          unit,
          points,
        }));
        expect(come).to.deep.equal(expected);
      },
    },
    {
      title: 'continues after a failed reading of metrics',
      run: async () => {
        const read = () => Promise.reject(new Error('no database'));
        const { metrics } = await collect(options, { metrics: { read } }, () => undefined);
        expect(metrics).to.deep.equal([]);
      },
    },
    {
      title: 'does only what its options enable',
      run: async () => {
        const { spans, metrics } = await collect(options, {}, ({ tracer }) => {
          expect(tracer, 'a tracer').to.equal(undefined);
        });
        expect([...spans, ...metrics]).to.deep.equal([]);
        const traced = await trace(options, (tracer) => tracer.trace({ name: 'alone' }, () => undefined));
        expect(traced.metrics).to.deep.equal([]);
      },
    },
    {
      title: 'can be closed twice, and leaves nothing open',
      run: () =>
        leavesNothingOpen(async () => {
          const read = () => Promise.resolve(SNAPSHOT);
          await collect(options, { ...ALL, metrics: { read } }, async (running) => {
            running.tracer?.trace({ name: 'once' }, () => undefined);
            await Promise.all([running.close(), running.close()]);
          });
        }, options),
    },
    {
      title: 'works without a collector, logs the failure once, and closes in time',
      run: () => leavesNothingOpen(() => isUnheard(options), options),
    },
  ];
}

async function isUnheard({ createUnheard, withinMs = 9000 }: TelemetryUnderTest): Promise<void> {
  const logger = createRecordingLogger();
  const telemetry = await createUnheard(createTestContext({ logger }));
  const running = await telemetry.start({ resource: {}, ...ALL });
  for (let turn = 0; turn < 2000; turn += 1) {
    // Record more spans than a bounded queue can contain.
    expect(running.tracer?.trace({ name: 'unheard' }, () => turn)).to.equal(turn);
    if (turn % 500 === 0) await nextTurn();
  }
  const startedMs = performance.now();
  await running.close();
  expect(performance.now() - startedMs, 'milliseconds to close').to.be.lessThan(withinMs);
  const reportedLines = logger.lines.filter(({ level }) => level === 'warn' || level === 'error');
  expect(reportedLines, JSON.stringify(reportedLines)).to.have.length(1);
}

import type { TelemetryKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { telemetryCases, telemetryContract, type TelemetryUnderTest } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';
import { clearKeptTimers, MemoryTelemetry, type TelemetryFaults } from './support/memory-telemetry.ts';

const kind: TelemetryKind = {
  kind: 'memory',
  config: { type: 'object', description: 'Kept in memory.', properties: {} },
  hosts: ['registry-server'],
  create: (_, { logger }) => new MemoryTelemetry({}, logger),
};

const tried = (faults: TelemetryFaults): TelemetryUnderTest => ({
  name: 'memory',
  kind,
  blocks: [{}],
  open: async ({ logger }) => {
    const telemetry = new MemoryTelemetry(faults, logger);
    return {
      telemetry,
      spans: () => telemetry.spans,
      metrics: () => telemetry.metrics,
      close: async () => undefined,
    };
  },
  createUnheard: ({ logger }) => new MemoryTelemetry(faults, logger, false),
});

telemetryContract(tried({}));

describe('telemetryCases', () => {
  const broken: readonly { readonly faults: TelemetryFaults; readonly fails: string }[] = [
    { faults: { losesContext: true }, fails: 'records nested spans, also after an await' },
    { faults: { recordsOrphans: true }, fails: 'records nothing outside of a span, or after its end' },
    { faults: { believesAnything: true }, fails: 'starts a new trace when the headers are invalid' },
    {
      faults: { ignoresSampling: true },
      fails: 'records nothing that the sender has not sampled, nor anything below it',
    },
    {
      faults: { samplesEverything: true },
      fails: 'samples a share of requests, and all work of the host itself',
    },
    {
      faults: { tellsMessages: true },
      fails: 'returns results and errors of the work, and records a failure without its message',
    },
    {
      faults: { swallows: true },
      fails: 'returns results and errors of the work, and records a failure without its message',
    },
    {
      faults: { failsForMistakes: true },
      fails: 'records declared failures, but not mistakes of the caller',
    },
    { faults: { endsLate: true }, fails: 'lets a span end before its work, and run more work below it' },
    { faults: { losesUnits: true }, fails: 'sends every kind of metric unchanged' },
    { faults: { tracesUnasked: true }, fails: 'does only what its options enable' },
    { faults: { keepsTimer: true }, fails: 'can be closed twice, and leaves nothing open' },
    {
      faults: { complainsAlways: true },
      fails: 'works without a collector, logs the failure once, and closes in time',
    },
  ];
  afterEach(clearKeptTimers);
  for (const { faults, fails } of broken) {
    it(`fails for telemetry with the fault ${Object.keys(faults).join(', ')}`, async () => {
      // A broken one may be given up early.
      expect(await failingCases(telemetryCases({ ...tried(faults), withinMs: 1000 }))).to.include(fails);
    });
  }

  it('fails for telemetry that consumes the metrics of a failed export', async () => {
    const throwing: TelemetryUnderTest = {
      ...tried({}),
      open: async ({ logger }) => {
        const telemetry = new MemoryTelemetry({}, logger);
        return {
          telemetry: {
            start: (options) => ({
              ...telemetry.start(options),
              close: async () => void (await options.metrics?.read()),
            }),
          },
          spans: () => telemetry.spans,
          metrics: () => telemetry.metrics,
          close: async () => undefined,
        };
      },
    };
    expect(await failingCases(telemetryCases(throwing))).to.include(
      'continues after a failed reading of metrics',
    );
  });
});

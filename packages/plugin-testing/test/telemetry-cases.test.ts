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
    { faults: { losesContext: true }, fails: 'tells of spans below each other, also behind an await' },
    { faults: { recordsOrphans: true }, fails: 'records nothing where no span runs, or not any more' },
    { faults: { believesAnything: true }, fails: 'begins a trace of its own where headers cannot be read' },
    {
      faults: { ignoresSampling: true },
      fails: 'says nothing of what its sender has not sampled, nor of anything below it',
    },
    {
      faults: { samplesEverything: true },
      fails: 'samples a share of requests, and all that the host does by itself',
    },
    {
      faults: { tellsMessages: true },
      fails: 'passes on what work answers and throws, and tells of the failure without its message',
    },
    {
      faults: { swallows: true },
      fails: 'passes on what work answers and throws, and tells of the failure without its message',
    },
    {
      faults: { failsForMistakes: true },
      fails: 'counts as failed what is said to be, and no mistake of whoever asked',
    },
    { faults: { endsLate: true }, fails: 'lets a span end before its work, and run more of it below' },
    { faults: { losesUnits: true }, fails: 'sends every kind of measurement as it was read' },
    { faults: { tracesUnasked: true }, fails: 'does only what it was asked for' },
    { faults: { keepsTimer: true }, fails: 'may be closed twice, and leaves nothing open' },
    {
      faults: { complainsAlways: true },
      fails: 'hurts nobody when nobody hears it, says so once, and can be closed in time',
    },
  ];
  afterEach(clearKeptTimers);
  for (const { faults, fails } of broken) {
    it(`finds one that ${Object.keys(faults).join(', ')}`, async () => {
      // A broken one may be given up early.
      expect(await failingCases(telemetryCases({ ...tried(faults), withinMs: 1000 }))).to.include(fails);
    });
  }

  it('finds one that leaves nothing of a failed reading to others', async () => {
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
      'goes on when measurements cannot be read',
    );
  });
});

import type { Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { checkConfig } from '../../src/validation/check-config.ts';
import { bootOptions, errorOf, LogLines, smallConfig, withKernel } from '../support/test-context.ts';

/** A telemetry kind `paper`, which keeps what it was made with. */
function paperPlugin(seen: unknown[] = []): Plugin {
  return {
    name: 'paper-plugin',
    apiVersion: 2,
    contributes: {
      telemetry: [
        {
          kind: 'paper',
          hosts: ['registry-server'],
          config: {
            type: 'object',
            properties: {
              desk: { type: 'string', default: 'mine' },
              stamp: { type: 'string', secret: true },
            },
          },
          check: ({ desk }) =>
            desk === 'gone' ? [{ place: 'desk', found: '"gone"', expected: 'a desk that is there' }] : [],
          create: (config) => {
            seen.push(config);
            return { start: () => ({ close: async () => undefined }) };
          },
        },
        {
          kind: 'mute',
          hosts: ['workload'],
          config: { type: 'object' },
          create: () => ({ start: () => ({ close: async () => undefined }) }),
        },
      ],
    },
  };
}

const optionsFor = (telemetry: unknown, more: Parameters<typeof bootOptions>[0] = {}, seen: unknown[] = []) =>
  bootOptions({ value: smallConfig({ telemetry }), pluginObjects: [{ plugin: paperPlugin(seen) }], ...more });

describe('configuration key telemetry', () => {
  it('passes the exporter its own settings, and the host the others', async () => {
    const seen: unknown[] = [];
    const value = { enabled: true, exporter: 'paper', serviceName: 'mine', stamp: '${STAMP}' };
    const logDestination = new LogLines();
    const environment = { STAMP: 'hunter2-hunter2' };
    await withKernel(optionsFor(value, { environment, logDestination }, seen), (kernel) => {
      expect(kernel.telemetry).to.have.property('start');
      expect(kernel.config.telemetry).to.deep.include({ serviceName: 'mine', metrics: { enabled: true } });
      kernel.logger.info({ stamp: 'hunter2-hunter2' }, 'stamped');
    });
    expect(seen).to.deep.equal([{ desk: 'mine', stamp: 'hunter2-hunter2' }]);
    expect(logDestination.text).not.to.include('hunter2');
  });

  it('creates no exporter when nothing is exported', async () => {
    const nothing = [
      {},
      { metrics: { enabled: true } },
      { exporter: 'paper', desk: 'mine' },
      { enabled: true, exporter: 'paper', metrics: { enabled: false } },
    ];
    for (const value of nothing) {
      const seen: unknown[] = [];
      await withKernel(optionsFor(value, {}, seen), ({ telemetry }) => {
        expect(telemetry, JSON.stringify(value)).to.equal(undefined);
      });
      expect(seen).to.deep.equal([]);
    }
  });

  it('accepts settings of the environment, including those of the exporter', async () => {
    const seen: unknown[] = [];
    const environment = {
      PORTOLAN_TELEMETRY_ENABLED: 'true',
      PORTOLAN_TELEMETRY_EXPORTER: 'paper',
      PORTOLAN_TELEMETRY_DESK: 'yours',
      PORTOLAN_TELEMETRY_TRACING_SAMPLING: '0.5',
    };
    await withKernel(optionsFor({}, { environment }, seen), ({ config }) => {
      expect(config.telemetry.tracing.sampling).to.equal(0.5);
    });
    expect(seen).to.deep.equal([{ desk: 'yours' }]);
  });

  const refused: readonly { readonly title: string; readonly value: unknown; readonly says: string }[] = [
    {
      title: 'an unknown exporter',
      value: { enabled: true, exporter: 'papyrus' },
      says: 'telemetry.exporter  found "papyrus"; expected one of paper, mute',
    },
    {
      title: 'an exporter for workloads only',
      value: { enabled: true, exporter: 'mute' },
      says: 'telemetry.exporter  found "mute", which serves workloads; expected a kind of telemetry that serves the registry server',
    },
    {
      title: 'a key of another exporter',
      value: { exporter: 'paper', endpoint: 'localhost:4318' },
      says: 'telemetry.endpoint  found an unknown key',
    },
    {
      title: 'a problem that the kind reports',
      value: { exporter: 'paper', desk: 'gone' },
      says: 'telemetry.desk  found "gone"; expected a desk that is there',
    },
    {
      title: 'a sampling rate of zero',
      value: { exporter: 'paper', tracing: { sampling: 0 } },
      says: 'telemetry.tracing.sampling  found 0; expected a share above 0',
    },
    {
      title: 'a sampling rate above one',
      value: { exporter: 'paper', tracing: { sampling: 1.5 } },
      says: 'telemetry.tracing.sampling',
    },
    { title: 'a value that is not a map', value: 'on', says: 'telemetry  ' },
  ];
  for (const { title, value, says } of refused) {
    it(`is rejected with ${title}`, async () => {
      const error = await errorOf(() => checkConfig(optionsFor(value)));
      expect(error.message).to.include(says);
    });
  }

  const warned: readonly { readonly value: unknown; readonly says: string }[] = [
    {
      value: { exporter: 'paper', tracing: { enabled: true } },
      says: 'telemetry.tracing changes nothing without telemetry.enabled: true',
    },
    {
      value: { exporter: 'paper', stamp: 'hunter2' },
      says: 'telemetry.stamp changes nothing without telemetry.enabled: true',
    },
    {
      value: { enabled: true, exporter: 'paper', metrics: { enabled: false } },
      says: 'telemetry.enabled changes nothing: neither telemetry.tracing nor telemetry.metrics is enabled',
    },
  ];
  for (const { value, says } of warned) {
    it(`logs the warning: ${says}`, async () => {
      const { warnings } = await checkConfig(optionsFor(value));
      expect(warnings).to.deep.equal([says]);
    });
  }
});

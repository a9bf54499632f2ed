import { expect } from 'chai';
import { mergeTelemetry } from '../../src/settings/merge-telemetry.ts';
import type { MergeInput } from '../../src/settings/merge-input.ts';
import type { RunFlags } from '../../src/settings/run-flags.ts';
import { readUserSettings } from '../../src/settings/user-settings.ts';
import { caught } from '../../../../test/support/caught.ts';

const DEFAULTS = {
  endpoint: 'collector:4318',
  tracingEnabled: true,
  metricsEnabled: true,
  samplingRate: '0.1',
  headers: {},
  insecure: false,
  enablePrometheusMetricsPath: false,
  environmentVariables: [],
  customAttributes: {},
  useLegacyAttributes: true,
};

function merge(flags: RunFlags, otel: object = {}) {
  const warnings: string[] = [];
  // SAFETY: of what settings are merged from, only these are looked at.
  const input = {
    request: { args: [], flags },
    user: readUserSettings({ otel }, 'config.yaml'),
  } as unknown as MergeInput;
  return { telemetry: mergeTelemetry(input, warnings), warnings };
}

describe('mergeTelemetry', () => {
  it('sets the defaults', () => {
    const { telemetry, warnings } = merge({ otelEndpoint: 'collector:4318' });
    expect(telemetry).to.deep.equal({ value: DEFAULTS, from: 'flag', by: '--otel-endpoint' });
    expect(warnings).to.deep.equal([]);
  });

  it('applies every flag', () => {
    const { telemetry } = merge({
      otelEndpoint: 'https://otlp.acme.example/t',
      otelInsecure: false,
      otelHeaders: ['X-Key=a=b', 'X-Other=1'],
      otelServiceName: 'weather',
      otelCustomAttributes: ' a = b , c=d=e',
      otelEnvVars: ['A, B', 'A'],
      otelTracingEnabled: false,
      otelMetricsEnabled: true,
      otelSamplingRate: 1,
      otelEnablePrometheusMetricsPath: true,
      otelUseLegacyAttributes: false,
    });
    expect(telemetry?.value).to.deep.equal({
      endpoint: 'https://otlp.acme.example/t',
      serviceName: 'weather',
      tracingEnabled: false,
      metricsEnabled: true,
      samplingRate: '1',
      headers: { 'X-Key': 'a=b', 'X-Other': '1' },
      insecure: false,
      enablePrometheusMetricsPath: true,
      environmentVariables: ['A', 'B'],
      customAttributes: { a: 'b', c: 'd=e' },
      useLegacyAttributes: false,
    });
  });

  it('returns nothing without an endpoint, and names flags without an effect', () => {
    expect(merge({})).to.deep.equal({ telemetry: undefined, warnings: [] });
    const { telemetry, warnings } = merge({ otelSamplingRate: 1, otelTracingEnabled: false });
    expect(telemetry).to.equal(undefined);
    expect(warnings).to.deep.equal([
      '--otel-sampling-rate has no effect: nothing is sent without --otel-endpoint or --otel-enable-prometheus-metrics-path.',
    ]);
    expect(
      merge({ otelEndpoint: 'x:1', otelTracingEnabled: false, otelMetricsEnabled: false }).telemetry,
    ).to.equal(undefined);
  });

  it('shows metrics without a collector, and no collector without data to send', () => {
    const shown = merge({
      otelEnablePrometheusMetricsPath: true,
      otelEndpoint: 'x:1',
      otelTracingEnabled: false,
      otelMetricsEnabled: false,
    });
    expect(shown.telemetry?.value).to.include({ endpoint: '', enablePrometheusMetricsPath: true });
  });

  it('uses the section otel of the user settings for flags that are not given', () => {
    const otel = {
      endpoint: 'user:4318',
      'sampling-rate': 0.5,
      'env-vars': ['REGION'],
      'metrics-enabled': false,
      'tracing-enabled': true,
      insecure: true,
      'enable-prometheus-metrics-path': true,
      'use-legacy-attributes': false,
    };
    const ofUser = {
      ...DEFAULTS,
      endpoint: 'user:4318',
      samplingRate: '0.5',
      environmentVariables: ['REGION'],
      metricsEnabled: false,
      insecure: true,
      enablePrometheusMetricsPath: true,
      useLegacyAttributes: false,
    };
    expect(merge({}, otel).telemetry).to.deep.equal({ value: ofUser, from: 'user', by: 'otel' });
    const { telemetry } = merge({ otelSamplingRate: 0, otelInsecure: false }, otel);
    expect(telemetry?.value).to.deep.equal({ ...ofUser, samplingRate: '0', insecure: false });
  });

  const refused: readonly RunFlags[] = [
    { otelSamplingRate: 1.5 },
    { otelSamplingRate: -0.1 },
    { otelHeaders: ['hunter2'] },
    { otelHeaders: ['=hunter2'] },
    { otelHeaders: ['a b=hunter2'] },
    { otelCustomAttributes: 'a=b,c' },
    { otelCustomAttributes: '=b' },
  ];
  for (const flags of refused) {
    it(`rejects ${JSON.stringify(flags)}`, async () => {
      const error = await caught(() => merge({ otelEndpoint: 'x:1', ...flags }));
      expect(error.code).to.equal('ERR_SETTING');
      expect(error.message).to.include('--otel-').and.not.to.include('hunter2');
    });
  }

  it('rejects an invalid section', async () => {
    const error = await caught(() => merge({}, { 'sampling-rate': 2, insecure: 'yes' }));
    expect(error.code).to.equal('ERR_USER_SETTINGS');
    expect(error.message).to.include('otel.sampling-rate').and.to.include('otel.insecure');
  });
});

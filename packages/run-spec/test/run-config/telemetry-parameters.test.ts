import { expect } from 'chai';
import { middlewareOf } from '../../src/run-config/middleware-of.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { telemetryParameters, traceParameters } from '../../src/run-config/policies.ts';

const configOf = (telemetry: object | null) =>
  parseRunConfig(JSON.stringify({ image: 'nginx', name: 'w', telemetry_config: telemetry }), 'w.json').config;

describe('telemetryParameters', () => {
  const table: readonly (readonly [given: object | null, parameters: object | undefined])[] = [
    [null, undefined],
    [{}, undefined],
    [{ endpoint: '' }, undefined],
    [{ endpoint: 'x:1' }, { endpoint: 'x:1', tracingEnabled: true, metricsEnabled: true }],
    // As ToolHive writes it: a text, nulls, and what is off left out.
    [
      {
        endpoint: 'x:1',
        tracingEnabled: true,
        samplingRate: '0.05',
        headers: null,
        environmentVariables: null,
      },
      { endpoint: 'x:1', tracingEnabled: true, metricsEnabled: false, samplingRate: 0.05 },
    ],
    [{ endpoint: 'x:1', tracingEnabled: false, metricsEnabled: false }, undefined],
    [
      { enablePrometheusMetricsPath: true, tracingEnabled: false, metricsEnabled: false },
      { enablePrometheusMetricsPath: true, tracingEnabled: false, metricsEnabled: false },
    ],
    [
      { endpoint: 'x:1', samplingRate: 'often' },
      { endpoint: 'x:1', samplingRate: 'often', tracingEnabled: true, metricsEnabled: true },
    ],
  ];
  for (const [given, parameters] of table) {
    it(`returns ${JSON.stringify(parameters)} for ${JSON.stringify(given)}`, () => {
      expect(telemetryParameters(configOf(given))).to.deep.equal(parameters);
    });
  }

  it('omits empty fields of other tools, also of audit', () => {
    const audit = { audit_config: { enabled: false, component: 'c', logFile: '' } };
    const { config } = parseRunConfig(JSON.stringify({ image: 'nginx', name: 'w', ...audit }), 'w.json');
    expect(middlewareOf(config)).to.deep.equal([
      { type: 'audit', parameters: { enabled: false, component: 'c' }, place: 'audit_config' },
    ]);
    expect(
      telemetryParameters(configOf({ endpoint: 'x:1', caCertPath: '', serviceName: '' })),
    ).not.to.have.any.keys('caCertPath', 'serviceName');
  });

  it('adds trace propagation only with traces, after middleware that changes messages', () => {
    expect(traceParameters(configOf({ endpoint: 'x:1' }))).to.deep.equal({});
    expect(traceParameters(configOf({ endpoint: 'x:1', metricsEnabled: true }))).to.equal(undefined);
    expect(traceParameters(configOf({ enablePrometheusMetricsPath: true }))).to.equal(undefined);
    expect(middlewareOf(configOf({ endpoint: 'x:1' })).map(({ type }) => type)).to.deep.equal([
      'telemetry',
      'trace-context',
    ]);
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/otlp/otlp-collector.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const SECRET = 'hunter2-hunter2';
const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('portolan run --otel-…', function () {
  this.timeout(180_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let collector: OtlpCollector;

  beforeEach(async () => {
    collector = await startOtlpCollector();
    root = await mkdtemp(path.join(tmpdir(), 'portolan-otel-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const config = {
      plugins: [host],
      runtimes: { processes: { folder: path.join(root, 'servers'), programs } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: file,
      PORTOLAN_RUNTIME: 'processes',
      PORTOLAN_SECRETS_PASSWORD: 'a long password',
      REGION: 'north',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test%20one,team=env',
    };
    await giveSecretStore(root, 'a long password');
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await collector.close();
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  const flags = (): readonly string[] => [
    `--otel-endpoint=${collector.address}`,
    '--otel-insecure',
    '--otel-headers',
    `X-Api-Key=${SECRET}`,
    '--otel-service-name=the-weather',
    '--otel-custom-attributes=team=a,stage=prod',
    '--otel-env-vars=REGION,UNSET',
    '--otel-tracing-enabled=true',
    '--otel-metrics-enabled=true',
    '--otel-sampling-rate=1.0',
    '--otel-enable-prometheus-metrics-path',
    '--otel-use-legacy-attributes=false',
  ];

  async function run(name: string, transport: string, ...more: readonly string[]): Promise<Finished> {
    const server = transport === 'stdio' ? 'stdio' : 'streamableHttp';
    const started = await portolan(
      'run',
      '--isolate-network=false',
      `--name=${name}`,
      `--transport=${transport}`,
      ...more,
      IMAGE,
      '--',
      server,
    );
    expect(started.status, started.stderr).to.equal(0);
    return started;
  }

  async function expectTelemetry({ stdout }: Finished, name: string): Promise<void> {
    const url = new URL(stdout.trim());
    const client = await McpClient.connect(url);
    const call = { id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'ahoy' } } };
    const headers = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
    expect((await client.post(call, { headers })).text).to.include('ahoy');
    const { status, text } = await send(new URL('/metrics', url));
    expect(status).to.equal(200);
    expect(text).to.match(/portolan_mcp_tool_calls_total\{server="[^"]+",tool="echo",status="success"\} 1/);
    await client.end();
    const found = await eventually(() => {
      const span = collector.spans.find(
        (one) => one.name === 'tools/call echo' && one.attributes['mcp.server.name'] === name,
      );
      if (span === undefined) throw new Error('the span has not come yet');
      return span;
    });
    expect(found.traceId).to.equal(TRACE);
    expect(found.attributes).to.include({
      'gen_ai.tool.name': 'echo',
      'environment.REGION': 'north',
      'environment.UNSET': '',
      'mcp.client.name': 'test',
    });
    expect(found.attributes).not.to.have.property('mcp.tool.name');
    expect(found.resource).to.include({
      'service.name': 'the-weather',
      'deployment.environment': 'test one',
      team: 'a',
      stage: 'prod',
    });
    expect(collector.requests.every((request) => request.headers['x-api-key'] === SECRET)).to.equal(true);
  }

  it('sends spans and metrics for stdio, HTTP and remote servers, with every flag', async () => {
    await expectTelemetry(await run('stdio', 'stdio', ...flags()), 'stdio');
    const http = await run('near', 'streamable-http', ...flags());
    await expectTelemetry(http, 'near');
    const plain = await run('plain', 'streamable-http');
    const far = await portolan('run', '--name=far', ...flags(), plain.stdout.trim());
    expect(far.status, far.stderr).to.equal(0);
    await expectTelemetry(far, 'far');
    // Remaining data, including metrics, is sent when a workload stops.
    await portolan('stop', 'stdio');
    expect(collector.metrics.map(({ name }) => name)).to.include('mcp.server.operation.duration');
    expect(collector.faults).to.deep.equal([]);
  });

  it('stores the header as a secret, shows the settings in plan and inspect, and works with an export', async () => {
    const plan = await portolan(
      'plan',
      '--name=weather',
      '--transport=stdio',
      ...flags(),
      IMAGE,
      '--',
      'stdio',
    );
    expect(plan.status, plan.stderr).to.equal(0);
    expect(plan.stdout).to.include('that calls are traced and measured').and.not.to.include(SECRET);
    const started = await run('weather', 'stdio', ...flags());
    const exported = path.join(root, 'exported.json');
    await portolan('export', 'weather', exported);
    const { telemetry_config: kept } = JSON.parse(await readFile(exported, 'utf8'));
    expect(kept).to.deep.equal({
      endpoint: collector.address,
      serviceName: 'the-weather',
      tracingEnabled: true,
      metricsEnabled: true,
      samplingRate: '1',
      headers: { 'X-Api-Key': kept.headers['X-Api-Key'] },
      insecure: true,
      enablePrometheusMetricsPath: true,
      environmentVariables: ['REGION', 'UNSET'],
      customAttributes: { team: 'a', stage: 'prod' },
      useLegacyAttributes: false,
    });
    expect(kept.headers['X-Api-Key']).to.match(/^OTLP_HEADER_.*,target=/);
    expect((await portolan('inspect', 'weather')).stdout)
      .to.include('telemetry_config')
      .and.not.to.include(SECRET);
    await expectTelemetry(started, 'weather');
    for (const text of await textsBelow(root)) expect(text).not.to.include(SECRET);
    await portolan('rm', 'weather');
    const config = JSON.parse(await readFile(exported, 'utf8'));
    config.telemetry_config.headers = { 'X-Api-Key': SECRET };
    // Configuration in the form of ToolHive.
    config.telemetry_config.caCertPath = '';
    config.telemetry_config.serviceVersion = '1';
    await writeFile(exported, JSON.stringify(config));
    const again = await portolan('run', '--trust', '--from-config', exported);
    expect(again.status, again.stderr).to.equal(0);
    await rm(exported);
    await expectTelemetry(again, 'weather');
    for (const text of await textsBelow(root)) expect(text).not.to.include(SECRET);
  });

  it('starts without a collector, and refuses invalid values', async () => {
    await collector.close();
    const started = await run(
      'alone',
      'stdio',
      `--otel-endpoint=http://${collector.address}`,
      '--otel-sampling-rate=1',
    );
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    for (let id = 1; id < 20; id += 1) {
      expect((await client.post({ id, method: 'tools/list' })).status).to.equal(200);
    }
    await client.end();
    for (const wrong of ['--otel-sampling-rate=2', '--otel-endpoint=ftp://x', '--otel-custom-attributes=a']) {
      const refused = await portolan('run', '--otel-endpoint=x:1', wrong, IMAGE);
      expect(refused.status, wrong).to.equal(2);
    }
  });
});

async function textsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const texts = await Promise.all(
    files.map((file) =>
      readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
        // A file that is being written has another name for a moment.
        if (error.code === 'ENOENT') return '';
        throw error;
      }),
    ),
  );
  return texts;
}

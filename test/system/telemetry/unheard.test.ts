import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { RunningPortolan } from '../../support/command-line.ts';
import { recordModules } from '../../support/record-modules.ts';
import { startOtlpCollector } from '../../support/otlp/otlp-collector.ts';
import { inlineSource, serverDocument } from '../../support/registry-under-test.ts';

describe('telemetry of a registry server without a working collector', function () {
  this.timeout(300_000); // The cases start servers, one of which records its loaded modules.
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-telemetry-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const serve = async (telemetry: unknown, env: Readonly<Record<string, string>> = {}) => {
    const file = path.join(folder, 'portolan.config.yaml');
    const config = {
      sources: [inlineSource('catalogue', undefined, [serverDocument('dev.acme/notes')])],
      registries: [{ name: 'main', sources: ['catalogue'] }],
      auth: { mode: 'anonymous' },
      database: { url: 'sqlite::memory:' },
      server: { address: '127.0.0.1:0', internalAddress: '127.0.0.1:0', adminApi: false },
      telemetry,
    };
    await writeFile(file, stringify(config));
    const server = new RunningPortolan(['serve', '--config', file], { cwd: folder, env });
    const { address, internalAddress } = await server.logged('listening');
    return { server, url: `http://${String(address)}`, internal: `http://${String(internalAddress)}` };
  };

  it('loads neither SDK nor exporter when nothing is exported', async () => {
    const modules = path.join(folder, 'modules.txt');
    await writeFile(modules, '');
    const env = recordModules(modules);
    const loadedBy = async (telemetry: unknown): Promise<string> => {
      await writeFile(modules, '');
      const { server, url, internal } = await serve(telemetry, env);
      try {
        expect((await fetch(`${url}/registry/main/v0.1/servers`)).status).to.equal(200);
        expect(await (await fetch(`${internal}/metrics`)).text()).to.include('http_server_request_duration');
      } finally {
        await server.stop();
      }
      return await readFile(modules, 'utf8');
    };
    const without = await loadedBy({ metrics: { enabled: true } });
    expect(without).to.include('registry-server');
    // prom-client imports the API package, which only contains an interface.
    expect(without).not.to.match(/opentelemetry\/(?!api\/)|telemetry-otlp/);
    // This proves that the check would find the SDK, which is part of the published plugin.
    const collector = await startOtlpCollector();
    try {
      const telemetry = { enabled: true, insecure: true, endpoint: collector.address };
      expect(await loadedBy(telemetry)).to.match(/telemetry-otlp/);
    } finally {
      await collector.close();
    }
  });

  for (const fault of ['that does not respond', 'that refuses'] as const) {
    it(`logs one warning and delays no request with a collector ${fault}`, async () => {
      const collector = await startOtlpCollector();
      collector.answer = () => (fault === 'that refuses' ? { status: 401 } : 'hang');
      const { server, url } = await serve({
        enabled: true,
        insecure: true,
        endpoint: collector.address,
        tracing: { enabled: true, sampling: 1 },
        exportInterval: '1s',
      });
      for (let turn = 0; turn < 50; turn += 1) {
        const answer = await fetch(`${url}/registry/main/v0.1/servers?limit=${turn + 1}`);
        expect(answer.status).to.equal(200);
        await answer.text();
      }
      await eventually(() => expect(collector.requests.length).to.be.greaterThan(1), { withinMs: 20_000 });
      const startedMs = performance.now();
      const { status } = await server.stop();
      expect(status).to.equal(0);
      // A single request has ten seconds.
      expect(performance.now() - startedMs, 'milliseconds to stop').to.be.lessThan(9000);
      const told = server.log.filter(({ level }) => level === 'warn' || level === 'error');
      const about = (signal: string) => told.filter(({ msg }) => String(msg).startsWith(`${signal} cannot`));
      expect(about('metrics')).to.have.length(1);
      expect(about('traces')).to.have.length(1);
      expect(told).to.have.length(2);
      await collector.close();
    });
  }
});

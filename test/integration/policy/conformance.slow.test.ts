import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import localUser from '@portolan/auth-local-user';
import type { WorkloadKernel } from '@portolan/kernel';
import audit from '@portolan/middleware-audit';
import type { ServerBackend } from '@portolan/plugin-api';
import { createTestProxyContext, openTestWorkloadKernel } from '@portolan/plugin-testing';
import cedar from '@portolan/proxy-authorization-cedar';
import otlp from '@portolan/telemetry-otlp';
import { expect } from 'chai';
import { ChildConnection } from '../../../packages/proxy/test/support/child-connection.ts';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from '../../../packages/proxy/test/support/conformance/http-servers.ts';
import { runSuite, type SuiteOutcome } from '../../../packages/proxy/test/support/conformance/run-suite.ts';
import { STDIO_PROGRAM } from '../../../packages/proxy/test/support/conformance/stdio-program.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';

/** Expected results, equal to those without policies in `packages/proxy/test/conformance.slow.test.ts`. */
const SETS = [
  { requirements: '2025-11-25', era: 'legacy', scored: 30 },
  { requirements: '2026-07-28', era: 'modern', scored: 37 },
] as const;

describe('the official conformance suite behind policies that permit everything, with audit and telemetry', function () {
  this.timeout(240_000);
  const proxies = new Proxies();
  const servers: RunningServer[] = [];
  const outcomes = new Map<string, Promise<SuiteOutcome>>();
  let collector: Server;
  let folder: string;
  let kernel: WorkloadKernel;
  let sent = 0;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-conformance-'));
    collector = createServer((request, response) => {
      sent += 1;
      request.resume().once('end', () => response.end('{}'));
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    kernel = await openTestWorkloadKernel({ plugins: [audit, otlp, cedar, localUser] });
    for (const { requirements, era } of SETS) {
      for (const way of ['transparent', 'bridge'] as const) {
        const url = await reach(way, era);
        outcomes.set(`${way} ${requirements}`, runSuite(url, requirements));
      }
    }
    await Promise.all(outcomes.values());
  });
  after(async () => {
    await proxies.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await kernel.close();
    collector.close();
    collector.closeAllConnections();
    await once(collector, 'close');
    await rm(folder, { recursive: true, force: true });
  });

  for (const { requirements, scored } of SETS) {
    for (const way of ['transparent', 'bridge'] as const) {
      it(`passes ${scored} of ${scored} scored scenarios: ${requirements}, ${way}`, async () => {
        const outcome = await outcomes.get(`${way} ${requirements}`);
        if (outcome === undefined) throw new Error(`${way} was not run`);
        const { scenarios, output } = outcome;
        expect(
          scenarios.filter(({ isScored, failed }) => isScored && failed > 0),
          output,
        ).to.deep.equal([]);
        expect(scenarios.filter(({ isScored }) => isScored)).to.have.lengthOf(scored);
      });
    }
  }

  it('writes each call to the audit log and sends it to the telemetry collector', async () => {
    await proxies.close();
    await kernel.close();
    for (const { era } of SETS) {
      for (const way of ['transparent', 'bridge'] as const) {
        const log = await readFile(path.join(folder, `${way}-${era}.jsonl`), 'utf8');
        const types = log
          .trim()
          .split('\n')
          .map((line) => String(Object(JSON.parse(line)).type));
        expect(types.filter((type) => type === 'mcp_tool_call').length, `${way} ${era}`).to.be.above(10);
      }
    }
    expect(sent).to.be.above(0);
  });

  async function reach(way: 'transparent' | 'bridge', era: 'legacy' | 'modern'): Promise<URL> {
    const { port } = collector.address() as AddressInfo; // SAFETY: a TCP server has a port.
    const context = createTestProxyContext({
      workload: { ...createTestProxyContext().workload, directory: path.join(folder, `${way}-${era}`) },
    });
    const blocks = {
      audit: {
        logFile: path.join(folder, `${way}-${era}.jsonl`),
        includeRequestData: true,
        includeResponseData: true,
      },
      telemetry: { endpoint: `http://127.0.0.1:${port}`, samplingRate: 1 },
      'trace-context': {},
      cedar: {
        version: '1.0',
        type: 'cedarv1',
        cedar: { policies: ['permit(principal, action, resource);'] },
      },
    };
    const middleware = [];
    for (const [name, value] of Object.entries(blocks)) {
      const given = { value, place: name, origin: 'the test' };
      middleware.push(await kernel.createProxyMiddleware(name, context, given));
    }
    const { instance: authProvider } = await kernel.createAuthProvider('local-user');
    const backend = way === 'bridge' ? bridged(era) : await transparent(era);
    const { url } = await proxies.open(backend, { middleware, authProvider, limits: LIMITS });
    return new URL(`http://localhost:${url.port}${url.pathname}`);
  }

  async function transparent(era: 'legacy' | 'modern'): Promise<ServerBackend> {
    const server = await (era === 'legacy' ? startLegacyServer() : startModernServer());
    servers.push(server);
    const target = new URL(server.url.origin);
    return { carries: 'http', transport: 'streamable-http', target, isRemote: false };
  }
});

/** The suite ends no session, so idle ones have to be closed. The times suit a busy machine. */
const LIMITS = { maxProcesses: 6, makesRoomAfterMs: 250, probeMs: 60_000 };

function bridged(era: 'legacy' | 'modern'): ServerBackend {
  const openConnection = async () =>
    new ChildConnection(process.execPath, ['--conditions=@portolan/source', STDIO_PROGRAM, era]);
  return { carries: 'messages', mode: 'streamable-http', sessions: 'own', openConnection };
}

import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import localUser from '@portolan/auth-local-user';
import type { WorkloadKernel } from '@portolan/kernel';
import audit from '@portolan/middleware-audit';
import { createTestProxyContext, openTestWorkloadKernel } from '@portolan/plugin-testing';
import cedar from '@portolan/proxy-authorization-cedar';
import rateLimit from '@portolan/proxy-rate-limit';
import webhooks from '@portolan/proxy-webhooks';
import otlp from '@portolan/telemetry-otlp';
import { expect } from 'chai';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from '../../../packages/proxy/test/support/conformance/http-servers.ts';
import { runSuite, type SuiteOutcome } from '../../../packages/proxy/test/support/conformance/run-suite.ts';
import { STDIO_PROGRAM } from '../../../packages/proxy/test/support/conformance/stdio-program.ts';
import { VirtualServers } from '../../../packages/virtual-server/test/support/virtual-servers.ts';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../plugins/proxy-webhooks/test/webhook-server.ts';
import { httpMember, stdioMember } from './member-sources.ts';

/** Expected results, equal to those without policies. */
const SETS = [
  { requirements: '0.1.16', era: 'legacy', scored: 30 },
  { requirements: '2025-11-25', era: 'legacy', scored: 30 },
  { requirements: '2026-07-28', era: 'modern', scored: 37 },
] as const;

/** The suite ends no session, so unused ones are closed soon. The probe has time for a busy machine. */
const LIMITS = { maxProcesses: 6, makesRoomAfterMs: 250, probeMs: 60_000 };

describe('the official conformance suite with a virtual server behind policies that permit everything', function () {
  this.timeout(600_000);
  const virtualServers = new VirtualServers();
  const servers: RunningServer[] = [];
  const outcomes = new Map<string, SuiteOutcome>();
  let collector: Server;
  let hook: WebhookServer;
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
    hook = await openWebhookServer();
    hook.answer = allow({});
    kernel = await openTestWorkloadKernel({ plugins: [audit, otlp, cedar, localUser, rateLimit, webhooks] });
    await Promise.all(
      SETS.map(async ({ requirements, era }) => {
        outcomes.set(requirements, await runSuite(await open(requirements, era), requirements));
      }),
    );
    await virtualServers.close();
    await kernel.close();
  });
  after(async () => {
    await virtualServers.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await kernel.close();
    await hook.close();
    collector.close();
    collector.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { requirements, scored } of SETS) {
    it(`passes ${scored} of ${scored} scored scenarios: ${requirements}`, () => {
      const { scenarios = [], output = '' } = outcomes.get(requirements) ?? {};
      const all = scenarios.filter(({ isScored }) => isScored);
      const failed = all.filter(({ failed: faults }) => faults > 0).map(({ name }) => name);
      expect(failed, output).to.deep.equal([]);
      expect(all.filter(({ passed }) => passed > 0)).to.have.lengthOf(scored);
    });
  }

  it('shows each policy calls by member and own name', async () => {
    for (const { requirements } of SETS) {
      const log = await readFile(path.join(folder, `${requirements}.jsonl`), 'utf8');
      const names = log
        .trim()
        .split('\n')
        .map((line) => Object(JSON.parse(line)))
        .filter(({ type }) => type === 'mcp_tool_call')
        .map(({ target }) => String(Object(target).name));
      expect(names.filter((name) => name.startsWith('fixture/')).length, requirements).to.be.above(10);
    }
    expect(sent).to.be.above(0);
    const asked = hook.received.filter(({ body }) => body.includes('"fixture/'));
    expect(asked.length).to.be.above(20);
  });

  async function open(requirements: string, era: 'legacy' | 'modern'): Promise<URL> {
    const context = createTestProxyContext({
      workload: { ...createTestProxyContext().workload, directory: path.join(folder, requirements) },
    });
    const middleware = [];
    for (const [name, value] of Object.entries(blocksFor(requirements))) {
      const given = { value, place: name, origin: 'the test' };
      middleware.push(await kernel.createProxyMiddleware(name, context, given));
    }
    const { instance: authProvider } = await kernel.createAuthProvider('local-user');
    const [legacy, modern] = await Promise.all([startLegacyServer(), startModernServer()]);
    servers.push(legacy, modern);
    const args = ['--conditions=@portolan/source', STDIO_PROGRAM, era];
    const members = [
      stdioMember('fixture', { command: process.execPath, args }, { prefix: false }),
      await httpMember('legacy', legacy.url),
      await httpMember('modern', modern.url),
    ];
    const { url } = await virtualServers.open(members, { middleware, authProvider, limits: LIMITS });
    return new URL(`http://localhost:${url.port}${url.pathname}`);
  }

  function blocksFor(requirements: string): Readonly<Record<string, object>> {
    const { port } = collector.address() as AddressInfo; // SAFETY: a TCP server has a port.
    const webhook = {
      name: 'permits',
      url: hook.url,
      failurePolicy: 'fail',
      tls: { insecureSkipVerify: true },
    };
    return {
      audit: {
        logFile: path.join(folder, `${requirements}.jsonl`),
        includeRequestData: true,
        includeResponseData: true,
      },
      telemetry: { endpoint: `http://127.0.0.1:${port}`, samplingRate: 1 },
      'trace-context': {},
      'rate-limit': { perUser: { maxTokens: 100_000, refillPeriod: '1h' } },
      'mutating-webhooks': { webhooks: [webhook] },
      'validating-webhooks': { webhooks: [webhook] },
      cedar: {
        version: '1.0',
        type: 'cedarv1',
        cedar: { policies: ['permit(principal, action, resource);'] },
      },
    };
  }
});

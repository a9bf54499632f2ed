import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import { registerClient } from '../../src/clients/register-clients.ts';
import { listWorkloads } from '../../src/run/operations/list/list-workloads.ts';
import { choosePort } from '../../src/state/choose-port.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { superviseWorkload } from '../../src/supervisor/supervise-workload.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { keepContext, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
const servers: http.Server[] = [];

/** Starts a remote server that completes handshakes. */
async function serveMcp(): Promise<string> {
  const server = http.createServer(async (request, response) => {
    // The proxy sends only JSON-RPC requests.
    const { id } = (await json(request)) as { readonly id: unknown };
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'remote', version: '1' },
    };
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const clientFile = async (context: WorkloadContext): Promise<string> =>
  await readFile(path.join(context.home, '.cursor/mcp.json'), 'utf8').catch(() => '');

describe('entries in client files', () => {
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await folders.removeAll();
  });

  it('are added when the workload is ready, and removed when it ends', async () => {
    const context = keepContext(await folders.make());
    await registerClient('cursor', 'default', context);
    const config = createRunConfig({
      name: 'remote',
      remote_url: await serveMcp(),
      transport: 'streamable-http',
      group: 'default',
      host: '127.0.0.1',
      port: await choosePort({ host: '127.0.0.1', reserved: new Set() }),
    });
    await context.store.claim(config, await ownProcess());
    const order = {
      name: 'remote',
      secrets: {},
      headers: {},
      policySecrets: {},
      startTimeoutMs: 10_000,
      foreground: false,
    };
    const stop = new AbortController();
    const ready = Promise.withResolvers<string>();
    const ended = superviseWorkload(
      order,
      context,
      (report) => {
        if (report.report === 'ready') ready.resolve(report.url);
        if (report.report === 'failed') ready.reject(new Error(report.message));
      },
      stop.signal,
    );
    const url = await ready.promise;
    expect(await clientFile(context)).to.include(url);
    stop.abort();
    expect(await ended).to.deep.equal({ how: 'stopped' });
    expect(await clientFile(context)).to.not.include(url);
  });

  it('are removed by listWorkloads when the supervisor is gone', async () => {
    const context = keepContext(await folders.make());
    const url = await runningWorkload(context, 'notes', { remote_url: 'https://mcp.acme.example/mcp' });
    await registerClient('cursor', 'default', context);
    expect(await clientFile(context)).to.include(url);
    await context.store.change('notes', (state) => ({
      ...state,
      supervisor: { pid: 2 ** 22 + 5, started: 'never' },
    }));
    const { workloads } = await listWorkloads(context, {});
    expect(workloads[0]).to.include({ name: 'notes', status: 'unhealthy' });
    expect(await clientFile(context)).to.not.include(url);
  });
});

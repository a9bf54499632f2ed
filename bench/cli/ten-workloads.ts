import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { directoriesOf, ownProcess, WorkloadStore } from '@portolan/workload';
import { createRunConfig } from '@portolan/run-spec';

const INSTANCE = 'bench';

/**
 * Simulates ten running workloads for `list`. This process acts as their supervisors, and responds to their
 * health checks. The caller closes them.
 */
export async function openTenWorkloads(root: string): Promise<{ close(): Promise<void> }> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ status: 'healthy', instance: INSTANCE }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // SAFETY: a TCP server
  const environment = {
    XDG_CONFIG_HOME: root,
    XDG_DATA_HOME: root,
    XDG_STATE_HOME: root,
    XDG_RUNTIME_DIR: root,
  };
  const facts = {
    platform: process.platform,
    environment,
    home: root,
    temporary: tmpdir(),
    userId: process.getuid?.(),
  };
  const store = new WorkloadStore({ directories: directoriesOf(facts), clock: () => new Date() });
  const url = `http://127.0.0.1:${port}/mcp`;
  for (let number = 1; number <= 10; number += 1) {
    const name = `weather-${number}`;
    await store.claim(createRunConfig({ name, image: `ghcr.io/acme/weather:${number}` }), await ownProcess());
    await store.change(name, (state) => ({ ...state, status: 'running', instance: INSTANCE, url }));
  }
  return {
    close: async () => {
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

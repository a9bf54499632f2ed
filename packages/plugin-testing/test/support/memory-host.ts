import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type HostDescription,
  type HostedServer,
  type HostedServerDescription,
  type HostedServerEvents,
  type Labels,
  type OpenServer,
  PortolanError,
  type ServerBackend,
  type ServerConnection,
  type WorkloadHost,
} from '@portolan/plugin-api';

export const IMAGE = 'acme/programs:1';

interface Kept {
  readonly id: string;
  readonly server: HostedServer;
  readonly told: HostedServerEvents;
  /** Of this process alone, and gone when nobody listens there. */
  readonly socket: string;
  listening: Server | undefined;
  connections: number;
}

/** A host that keeps every promise of the contract: its servers listen in this process. */
export class MemoryHost implements WorkloadHost {
  readonly servers = new Map<string, Kept>();

  async describe(): Promise<HostDescription> {
    return { name: 'Memory', version: '1', address: 'this process', addressFrom: 'a test', enforces: [] };
  }

  async open(server: HostedServer, events: HostedServerEvents, signal: AbortSignal): Promise<OpenServer> {
    signal.throwIfAborted();
    if (server.image !== IMAGE)
      throw new PortolanError('ERR_IMAGE_NOT_FOUND', 'absent', `no ${server.image}`);
    const id = randomUUID();
    const record: Kept = {
      id,
      server,
      told: events,
      socket: join(tmpdir(), `portolan-${id}.sock`),
      listening: undefined,
      connections: 0,
    };
    this.servers.set(id, record);
    return {
      backend: this.backend(record),
      start: () => this.start(record),
      notAnswering: (reason) => this.notAnswering(record, reason),
      close: () => this.close(record),
    };
  }

  async listServers(labels: Labels): Promise<readonly HostedServerDescription[]> {
    return [...this.servers.values()]
      .map((record) => describe(record))
      .filter((one) => Object.entries(labels).every(([name, value]) => one.labels[name] === value));
  }

  async removeServer(id: string): Promise<void> {
    const record = this.servers.get(id);
    if (record === undefined) return;
    await this.close(record);
    record.told.ended({ exitCode: undefined, how: 'it was removed', removed: true });
  }

  backend(record: Kept): ServerBackend {
    if (record.server.transport === 'stdio')
      return {
        carries: 'messages',
        mode: 'streamable-http',
        sessions: 'own',
        openConnection: async () => this.connection(record),
      };
    const agent = new Agent();
    agent.createConnection = () => connect(record.socket);
    return {
      carries: 'http',
      transport: 'streamable-http',
      target: new URL('http://memory.example/mcp'),
      isRemote: false,
      agent,
    };
  }

  connection(record: Kept): ServerConnection {
    const question = Promise.withResolvers<string>();
    let isOpen = true;
    record.connections += 1;
    return {
      received: (async function* () {
        yield await question.promise;
      })(),
      send: async (message) => {
        // SAFETY: the contract sends a request.
        const { id } = JSON.parse(message) as { readonly id: number };
        const serverInfo = { name: 'memory', version: '1' };
        question.resolve(JSON.stringify({ jsonrpc: '2.0', id, result: { serverInfo } }));
      },
      close: async () => {
        if (isOpen) record.connections -= 1;
        isOpen = false;
      },
    };
  }

  async start(record: Kept): Promise<void> {
    const listening = createServer((_request, response) => response.end('here'));
    record.listening = listening;
    listening.listen(record.socket);
    await once(listening, 'listening');
  }

  notAnswering(record: Kept, reason: string): void {
    if (record.listening === undefined) return;
    void this.stop(record).then(() => record.told.ended({ exitCode: undefined, how: reason }));
  }

  async close(record: Kept): Promise<void> {
    await this.stop(record);
    this.servers.delete(record.id);
  }

  async stop(record: Kept): Promise<void> {
    const { listening } = record;
    record.listening = undefined;
    if (listening === undefined) return;
    const closed = once(listening, 'close');
    listening.close();
    listening.closeAllConnections();
    await closed;
  }
}

function describe({ id, server, listening, connections }: Kept): HostedServerDescription {
  const { name, labels, image } = server;
  const running = listening !== undefined || connections > 0;
  return { id, name, labels, image, running, createdAt: new Date(0) };
}

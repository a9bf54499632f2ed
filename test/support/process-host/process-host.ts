import type {
  HostDescription,
  HostedServer,
  HostedServerDescription,
  HostedServerEvents,
  Labels,
  OpenServer,
  RemoveServerOptions,
  WorkloadHost,
} from '@portolan/plugin-api';
import { ProcessServer } from './process-server.ts';
import { endProcess, isAlive, ServerRecords } from './server-records.ts';

/** Runs servers as plain processes of this machine. */
export class ProcessHost implements WorkloadHost {
  readonly #records: ServerRecords;
  readonly #findProgram: (image: string) => readonly string[];

  constructor(folder: string, findProgram: (image: string) => readonly string[]) {
    this.#records = new ServerRecords(folder);
    this.#findProgram = findProgram;
  }

  describe(): Promise<HostDescription> {
    return Promise.resolve({
      name: 'Process host',
      version: '1',
      address: 'this machine',
      addressFrom: 'a test',
      enforces: [],
    });
  }

  async open(server: HostedServer, events: HostedServerEvents, signal: AbortSignal): Promise<OpenServer> {
    signal.throwIfAborted();
    const program = this.#findProgram(server.image);
    const { name, labels, image } = server;
    const record = { id: name, name, labels, image, createdAt: new Date().toISOString(), pids: [] };
    await this.#records.write(record);
    events.progress(`Made a record of ${name}`);
    return new ProcessServer({ server, program, told: events, records: this.#records, record });
  }

  async listServers(labels: Labels): Promise<readonly HostedServerDescription[]> {
    const serverRecords = await this.#records.list(labels);
    return serverRecords.map(({ pids, createdAt, ...record }) => ({
      ...record,
      running: pids.some((pid) => isAlive(pid)),
      createdAt: new Date(createdAt),
    }));
  }

  async removeServer(id: string, { graceMs = 2000, signal }: RemoveServerOptions = {}): Promise<void> {
    const record = await this.#records.find(id);
    if (record === undefined) return;
    await this.#records.remove(id); // A caller that sees the end of a process can then read the reason.
    await Promise.all(record.pids.map((pid) => endProcess(pid, graceMs, signal)));
  }
}

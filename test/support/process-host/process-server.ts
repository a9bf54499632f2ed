import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type {
  HostedServer,
  HostedServerEvents,
  OpenServer,
  ServerBackend,
  ServerConnection,
} from '@portolan/plugin-api';
import { endProcess, type ServerRecord, type ServerRecords } from './server-records.ts';

export interface ProcessServerOptions {
  readonly server: HostedServer;
  readonly program: readonly string[];
  readonly told: HostedServerEvents;
  readonly records: ServerRecords;
  readonly record: ServerRecord;
}

const GRACE_MS = 2000;

/** Processes of one server: one that listens, or one for each connection. */
export class ProcessServer implements OpenServer {
  readonly backend: ServerBackend;
  readonly #options: ProcessServerOptions;
  readonly #live = new Map<ChildProcessWithoutNullStreams, Promise<void>>();
  /** Writes of the record, one after the other. */
  #written: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(options: ProcessServerOptions) {
    this.#options = options;
    const { transport, port, mode, sessions } = options.server;
    this.backend =
      transport === 'stdio'
        ? { carries: 'messages', mode, sessions, openConnection: () => this.#connect() }
        : { carries: 'http', transport, target: new URL(`http://127.0.0.1:${port}`), isRemote: false };
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#spawn((child) => this.#tell(child.stdout));
  }

  notAnswering(): void {
    for (const child of this.#live.keys()) child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#live].map(([child]) => this.#end(child, GRACE_MS)));
    await this.#written;
    await this.#options.records.remove(this.#options.record.id);
  }

  async #connect(): Promise<ServerConnection> {
    const child = await this.#spawn(() => undefined);
    child.stdin.on('error', () => undefined); // The process may end before its input is written.
    return {
      received: createInterface({ input: child.stdout }),
      send: async (message) => {
        if (!child.stdin.write(`${message}\n`)) await once(child.stdin, 'drain');
      },
      close: () => this.#end(child, 100),
    };
  }

  /** Starts a process. `read` reads its output from the start: Node.js drops output without a reader when a process ends. */
  async #spawn(
    read: (child: ChildProcessWithoutNullStreams) => void,
  ): Promise<ChildProcessWithoutNullStreams> {
    const { server, program } = this.#options;
    const [file = '', ...args] = program;
    const { PATH } = process.env;
    const child = spawn(
      file,
      [...args, ...server.arguments.map((text) => fillVariables(text, server.environment))],
      {
        env: { PATH, ...server.environment, ...(server.port === 0 ? {} : { PORT: String(server.port) }) },
      },
    );
    read(child);
    this.#tell(child.stderr);
    const exited = this.#exit(child);
    await Promise.race([once(child, 'spawn'), exited]);
    this.#live.set(child, exited);
    this.#write();
    await this.#written;
    void this.#forget(child, exited);
    return child;
  }

  async #exit(child: ChildProcessWithoutNullStreams): Promise<void> {
    // The event comes after the output was read. The type is the one of the event.
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (this.#isClosing || this.#asked.has(child)) return;
    const { records, record, told } = this.#options;
    const removed = (await records.find(record.id)) === undefined;
    const how = code === null ? `it was ended by ${signal}` : `exit status ${code}`;
    told.ended({ exitCode: code ?? undefined, how, removed });
  }

  readonly #asked = new WeakSet<ChildProcessWithoutNullStreams>();

  async #end(child: ChildProcessWithoutNullStreams, graceMs: number): Promise<void> {
    this.#asked.add(child);
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await endProcess(child.pid ?? 0, graceMs);
    await this.#live.get(child);
  }

  #tell(stream: NodeJS.ReadableStream): void {
    createInterface({ input: stream }).on('line', (line) => this.#options.told.line(line));
  }

  async #forget(child: ChildProcessWithoutNullStreams, exited: Promise<void>): Promise<void> {
    await exited;
    this.#live.delete(child);
    this.#write();
  }

  #write(): void {
    this.#written = this.#written.then(() => this.#writePids());
  }

  /** Writes the process ids. A record that another process has removed is not written again. */
  async #writePids(): Promise<void> {
    const { records, record } = this.#options;
    if ((await records.find(record.id)) === undefined) return;
    const pids = [...this.#live.keys()].flatMap(({ pid }) => pid ?? []);
    await records.write({ ...record, pids });
  }
}

/** Replaces `$(NAME)` with the variables of a server, as Kubernetes does. */
function fillVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\(([\w.-]+)\)/g, (whole, name: string) => variables[name] ?? whole);
}

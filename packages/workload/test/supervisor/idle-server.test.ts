import { PassThrough } from 'node:stream';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { type MessageBackend, PortolanError, type ServerConnection, UndoStack } from '@portolan/plugin-api';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { IdleServer } from '../../src/supervisor/idle/idle-server.ts';
import { Lifecycle } from '../../src/supervisor/process/lifecycle.ts';
import type { Supervision } from '../../src/supervisor/supervision.ts';
import { newWorkloadState, type WorkloadState } from '../../src/state/workload-state.ts';

const MINUTE = 60_000;

/** A workload with a clock of the test, whose server responds to every request but `hang`. */
class Bench {
  nowMs = 0;
  /** Number of servers that run, and of all that were started. */
  running = 0;
  started = 0;
  /** Number of open connections to processes. */
  processes = 0;
  /** Number of comparisons with what was approved. */
  compared = 0;
  startFault: Error | undefined;
  state: WorkloadState = newWorkloadState('weather', new Date(0));
  readonly lifecycle = new Lifecycle();
  readonly logger = createRecordingLogger();
  readonly server: IdleServer;

  constructor(config: Partial<RunConfig> = {}, member?: string) {
    const change = (update: (state: WorkloadState) => WorkloadState): void => {
      this.state = update(this.state);
    };
    const work = {
      config: createRunConfig({ name: 'weather', transport: 'stdio', stop_after_idle: '10m', ...config }),
      context: { logger: this.logger },
      order: { startTimeoutMs: 5000 },
      lifecycle: this.lifecycle,
      opened: new UndoStack(this.logger),
      state: this.state,
      record: { note: change },
      report: () => undefined,
      member,
      drift: { compareStarted: () => void (this.compared += 1), respond: () => undefined },
    };
    // SAFETY: an idle server uses these parts only.
    this.server = new IdleServer(work as unknown as Supervision, 'messages', {
      open: async (run) => this.#open(run),
      openMessages: () => Promise.reject(new Error('the server speaks no HTTP')),
      nowMs: () => this.nowMs,
    });
  }

  /** Starts the workload, as its supervisor does. */
  async start(): Promise<void> {
    await this.server.begin();
    await this.server.start();
    this.lifecycle.ready();
    this.state = { ...this.state, status: this.server.isIdle ? 'idle' : 'running' };
  }

  async connect(): Promise<Client> {
    return new Client(await this.server.backend.openConnection(AbortSignal.timeout(5000)));
  }

  /** Lets time pass, and then what is due happen. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    this.server.look();
    await new Promise((resolve) => setImmediate(resolve));
  }

  #open(run: Supervision): Awaited<ReturnType<ConstructorParameters<typeof IdleServer>[2]['open']>> {
    if (this.startFault !== undefined) throw this.startFault;
    this.running += 1;
    this.started += 1;
    const backend: MessageBackend = {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      openConnection: async () => this.#process(run),
    };
    const close = async (): Promise<void> => {
      this.running -= 1;
    };
    return { backend, start: async () => undefined, notAnswering: () => undefined, close };
  }

  #process(run: Supervision): ServerConnection {
    const received = new PassThrough({ objectMode: true });
    this.processes += 1;
    return {
      received,
      send: async (text) => {
        const { id, method } = JSON.parse(text) as { id?: string; method?: string };
        run.heard?.();
        if (id !== undefined && method !== 'hang')
          received.write(JSON.stringify({ jsonrpc: '2.0', id, result: { method } }));
      },
      close: async () => {
        this.processes -= 1;
        received.end();
      },
    };
  }
}

/** A client of one connection. */
class Client {
  readonly #connection: ServerConnection;
  readonly #received: AsyncIterator<unknown>;
  #last = 0;

  constructor(connection: ServerConnection) {
    this.#connection = connection;
    this.#received = connection.received[Symbol.asyncIterator]();
  }

  /** Sends a request and returns what comes next. */
  async ask(method: string): Promise<unknown> {
    this.send(method);
    return (await this.#received.next()).value;
  }

  send(method: string): void {
    this.#last += 1;
    void this.#connection.send(JSON.stringify({ jsonrpc: '2.0', id: `p${this.#last}`, method }));
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

describe('IdleServer', () => {
  let bench: Bench;
  afterEach(async () => {
    await bench.server.close();
    expect({ running: bench.running, processes: bench.processes }).to.deep.equal({
      running: 0,
      processes: 0,
    });
  });

  it('IdleServer › stops the server after the idle time and not before', async () => {
    bench = new Bench();
    await bench.start();
    const client = await bench.connect();
    await client.ask('tools/list');
    await bench.pass(10 * MINUTE - 1);
    expect(bench.running).to.equal(1);
    await bench.pass(1);
    await eventually(() => expect(bench.state.status).to.equal('idle'));
    expect(bench.running).to.equal(0);
    expect(await client.ask('tools/list')).to.include('tools/list');
    expect(bench.state.status).to.equal('running');
    expect(bench.started).to.equal(2);
  });

  it('IdleServer › lets the server that a request starts again be compared with what was approved', async () => {
    bench = new Bench();
    await bench.start();
    const client = await bench.connect();
    await bench.pass(10 * MINUTE);
    await client.ask('tools/list');
    await eventually(() => expect(bench.compared).to.equal(1));
  });

  it('IdleServer › counts the idle time from the end of the last request', async () => {
    bench = new Bench();
    await bench.start();
    const client = await bench.connect();
    await bench.pass(9 * MINUTE);
    await client.ask('tools/list');
    await bench.pass(9 * MINUTE);
    expect(bench.running).to.equal(1);
    client.send('hang');
    await bench.pass(60 * MINUTE);
    expect(bench.running).to.equal(1);
  });

  it('IdleServer › ends the process of an idle session alone, and the server with the last one', async () => {
    bench = new Bench();
    await bench.start();
    const [first, second] = [await bench.connect(), await bench.connect()];
    await first.ask('tools/list');
    await bench.pass(6 * MINUTE);
    await second.ask('tools/list');
    await bench.pass(6 * MINUTE);
    expect({ running: bench.running, processes: bench.processes }).to.deep.equal({
      running: 1,
      processes: 1,
    });
    await bench.pass(4 * MINUTE);
    await eventually(() => expect(bench.state.status).to.equal('idle'));
  });

  it('IdleServer › keeps all sessions of a shared process while one is in use', async () => {
    bench = new Bench({ stdio_sessions: 'shared' });
    await bench.start();
    const [first, second] = [await bench.connect(), await bench.connect()];
    await first.ask('tools/list');
    await bench.pass(6 * MINUTE);
    await second.ask('tools/list');
    await bench.pass(6 * MINUTE);
    expect(bench.processes).to.equal(2);
    await bench.pass(4 * MINUTE);
    await eventually(() => expect(bench.state.status).to.equal('idle'));
    await Promise.all([first.ask('tools/list'), second.ask('tools/list')]);
    expect(bench.started).to.equal(2);
  });

  it('IdleServer › stops a server that no client has used', async () => {
    bench = new Bench();
    await bench.start();
    await bench.pass(10 * MINUTE);
    await eventually(() => expect(bench.state.status).to.equal('idle'));
  });

  it('IdleServer › stops a member that no client has used', async () => {
    bench = new Bench({}, 'weather');
    await bench.server.begin();
    await bench.pass(10 * MINUTE);
    await eventually(() => expect(bench.state.status).to.equal('idle'));
  });

  it('IdleServer › starts a lazy server with the first connection, and then keeps it', async () => {
    bench = new Bench({ stop_after_idle: '', start: 'lazy' });
    await bench.start();
    expect({ started: bench.started, status: bench.state.status }).to.deep.equal({
      started: 0,
      status: 'idle',
    });
    const client = await bench.connect();
    await client.ask('tools/list');
    expect(bench.state.status).to.equal('running');
    await bench.pass(24 * 60 * MINUTE);
    expect(bench.running).to.equal(1);
  });

  it('IdleServer › fails the start of the workload when its server cannot be started', async () => {
    bench = new Bench();
    bench.startFault = new PortolanError('ERR_IMAGE_GONE', 'absent', 'The image is gone.');
    await bench.server.begin();
    const error = await bench.server.start().catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'ERR_IMAGE_GONE');
    expect(bench.lifecycle.end).to.have.nested.property('error.code', 'ERR_IMAGE_GONE');
  });

  it('IdleServer › stays idle with the reason when the server cannot be started again', async () => {
    bench = new Bench();
    await bench.start();
    await bench.pass(10 * MINUTE);
    await eventually(() => expect(bench.state.status).to.equal('idle'));
    bench.startFault = new Error('no space left');
    const error = await bench.connect().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    expect(bench.lifecycle.isOver).to.equal(false);
    await eventually(() => expect(bench.state.statusContext).to.match(/^It could not be started: /));
    bench.startFault = undefined;
    const client = await bench.connect();
    expect(await client.ask('tools/list')).to.include('tools/list');
    expect(bench.state).to.deep.include({ status: 'running', statusContext: '' });
  });

  it('IdleServer › stops the server with its workload', async () => {
    bench = new Bench();
    await bench.start();
    const client = await bench.connect();
    await client.ask('tools/list');
    expect(bench.lifecycle.isOver).to.equal(false);
    bench.lifecycle.finish({ how: 'stopped' });
    await bench.server.close();
    expect(bench.running).to.equal(0);
  });
});

import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import type { ReceivedMessage } from '@portolan/plugin-api';
import { ownParams } from '@portolan/mcp-protocol';
import { expect } from 'chai';
import { RestingConnection, type RestingOptions } from '../../src/server/idle/resting-connection.ts';
import { FailedRequest } from '../../src/server/failed-request.ts';
import { type Script, ScriptedServer, type SentMessage } from '../support/scripted-server.ts';

/** A connection with a clock of the test, and the servers that it has started. */
class Bench {
  readonly servers: ScriptedServer[] = [];
  readonly messages: ReceivedMessage[] = [];
  nowMs = 0;
  startFault: Error | undefined;
  /** Delays the start of each server until it settles. */
  mayStart: Promise<unknown> = Promise.resolve();
  scripts: Script[] = [];
  overs = 0;
  failure: unknown;
  hasEnded = false;

  async open(startTimeoutMs = 5000): Promise<RestingConnection> {
    const connection = await RestingConnection.open(this.#options(startTimeoutMs), AbortSignal.timeout(5000));
    void this.#read(connection);
    return connection;
  }

  atRest(known: NonNullable<RestingOptions['respond']>): RestingConnection {
    const connection = RestingConnection.atRest({ ...this.#options(5000), respond: known });
    void this.#read(connection);
    return connection;
  }

  #options(startTimeoutMs: number): RestingOptions {
    return {
      open: () => this.#start(),
      startTimeoutMs,
      over: () => (this.overs += 1),
      nowMs: () => this.nowMs,
      logger: createRecordingLogger(),
    };
  }

  /** Opens a connection and completes the handshake of its session. */
  async openSession(): Promise<RestingConnection> {
    const connection = await this.open();
    await connection.send(say({ id: 'p1', method: 'initialize', params: GREETING }));
    await this.got((message) => message.id === 'p1');
    await connection.send(say({ method: 'notifications/initialized' }));
    return connection;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every form
  got(check: (message: any) => boolean): Promise<any> {
    return eventually(() => {
      const found = this.messages.map(parse).find((message) => message !== undefined && check(message));
      if (found === undefined) throw new Error(`not among ${JSON.stringify(this.messages)}`);
      return found;
    });
  }

  /** Methods of the messages that a server has got, in order. */
  methods(index: number): readonly (string | undefined)[] {
    return this.servers[index]?.sent.map(({ method }) => method) ?? [];
  }

  async #start(): Promise<ScriptedServer> {
    if (this.startFault !== undefined) throw this.startFault;
    await this.mayStart;
    const server = new ScriptedServer(this.scripts[this.servers.length] ?? { received: respond });
    this.servers.push(server);
    return server;
  }

  async #read(connection: RestingConnection): Promise<void> {
    try {
      for await (const message of connection.received) this.messages.push(message);
    } catch (error) {
      this.failure = error;
    }
    this.hasEnded = true;
  }
}

const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
const CAPABILITIES = { tools: { listChanged: true }, logging: {} };

function say(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}

function parse(message: ReceivedMessage): unknown {
  return typeof message === 'string' ? JSON.parse(message) : undefined;
}

/** Methods without a response. */
const ENDLESS = ['slow', 'subscriptions/listen'];

/** Responds to every other request. `capabilities` are those of the handshake. */
function responding(capabilities: object, revision = '2025-11-25'): Script {
  return {
    received: ({ id, method, params }, server) => {
      if (id === undefined || method === undefined || ENDLESS.includes(method)) return;
      const result =
        method === 'initialize'
          ? { protocolVersion: revision, capabilities, serverInfo: { name: 's', version: '1' } }
          : method === 'server/discover'
            ? { supportedVersions: ['2026-07-28'], capabilities }
            : { method, ...(params?.task === undefined ? {} : { task: TASK }) };
      server.say({ id, result });
    },
  };
}

const TASK = { taskId: 't1', status: 'working', ttl: 60_000 };

function respond(message: SentMessage, server: ScriptedServer): void {
  responding(CAPABILITIES).received?.(message, server);
}

describe('RestingConnection', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });

  it('RestingConnection › ends its process at rest and repeats the handshake with the next one', async () => {
    const connection = await bench.openSession();
    await connection.rest();
    expect(bench.servers[0]?.isClosed).to.equal(true);
    expect(connection.isResting).to.equal(true);
    expect(bench.hasEnded).to.equal(false);
    await connection.send(say({ id: 'p2', method: 'tools/list' }));
    expect(await bench.got(({ id }) => id === 'p2')).to.have.nested.property('result.method', 'tools/list');
    expect(bench.methods(1)).to.deep.equal(['initialize', 'notifications/initialized', 'tools/list']);
    expect(
      bench.messages.map(parse).filter((message) => (message as SentMessage).id === 'p1'),
    ).to.have.length(1);
  });

  it('RestingConnection › starts one process for requests that arrive together, and keeps their order', async () => {
    const connection = await bench.openSession();
    await connection.rest();
    const sent = ['a', 'b', 'c'].map((id) => connection.send(say({ id, method: `tools/${id}` })));
    await Promise.all(sent);
    await bench.got(({ id }) => id === 'c');
    expect(bench.servers).to.have.length(2);
    expect(bench.methods(1).slice(2)).to.deep.equal(['tools/a', 'tools/b', 'tools/c']);
  });

  it('RestingConnection › repeats the log level of the session, and keeps its second response from the client', async () => {
    const connection = await bench.openSession();
    await connection.send(say({ id: 'p2', method: 'logging/setLevel', params: { level: 'debug' } }));
    await bench.got(({ id }) => id === 'p2');
    await connection.rest();
    await connection.send(say({ id: 'p3', method: 'tools/list' }));
    await bench.got(({ id }) => id === 'p3');
    expect(bench.methods(1)).to.deep.equal([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'tools/list',
    ]);
    expect(
      bench.messages.map(parse).filter((message) => (message as SentMessage).id === 'p2'),
    ).to.have.length(1);
  });

  it('RestingConnection › responds to pings at rest without a start, and does not count them as use', async () => {
    const connection = await bench.openSession();
    bench.nowMs = 1000;
    await connection.send(say({ id: 'p2', method: 'ping' }));
    await bench.got(({ id }) => id === 'p2');
    expect(connection.lastMs).to.equal(0);
    await connection.rest();
    await connection.send(say({ id: 'p3', method: 'ping' }));
    expect(await bench.got(({ id }) => id === 'p3')).to.have.property('result');
    expect(bench.servers).to.have.length(1);
  });

  it('RestingConnection › responds to a ping that is pending when it rests', async () => {
    bench.scripts = [
      { received: (message, server) => (message.method === 'ping' ? undefined : respond(message, server)) },
    ];
    const connection = await bench.openSession();
    await connection.send(say({ id: 'p2', method: 'ping' }));
    await connection.rest();
    expect(await bench.got(({ id }) => id === 'p2')).to.have.property('result');
  });

  it('RestingConnection › responds to server/discover at rest with the last response of the server', async () => {
    const connection = await bench.open();
    await connection.send(say({ id: 'p1', method: 'server/discover' }));
    const first = await bench.got(({ id }) => id === 'p1');
    await connection.rest();
    await connection.send(say({ id: 'p2', method: 'server/discover' }));
    const second = await bench.got(({ id }) => id === 'p2');
    expect(second.result).to.deep.equal(first.result);
    expect(bench.servers).to.have.length(1);
  });

  it('RestingConnection › drops notifications and responses at rest without a start', async () => {
    const connection = await bench.openSession();
    await connection.rest();
    await connection.send(say({ method: 'notifications/roots/list_changed' }));
    await connection.send(say({ id: 7, result: {} }));
    expect(bench.servers).to.have.length(1);
    expect(connection.isResting).to.equal(true);
  });

  const busy: readonly { title: string; begin: object; end: object }[] = [
    {
      title: 'a request without a response',
      begin: { id: 'x', method: 'slow' },
      end: { method: 'notifications/cancelled', params: { requestId: 'x' } },
    },
    {
      title: 'a subscription to a resource',
      begin: { id: 'x', method: 'resources/subscribe', params: { uri: 'a://b' } },
      end: { id: 'y', method: 'resources/unsubscribe', params: { uri: 'a://b' } },
    },
    {
      title: 'a running task',
      begin: { id: 'x', method: 'tools/call', params: { name: 'a', task: {} } },
      end: { id: 'y', method: 'tasks/result', params: { taskId: 't1' } },
    },
  ];
  for (const { title, begin, end } of busy) {
    it(`RestingConnection › does not rest during ${title}`, async () => {
      const connection = await bench.openSession();
      await connection.send(say(begin));
      await eventually(() => expect(bench.methods(0)).to.include((begin as SentMessage).method));
      if (!ENDLESS.includes((begin as SentMessage).method ?? '')) await bench.got(({ id }) => id === 'x');
      await connection.rest();
      expect(connection.isResting).to.equal(false);
      await connection.send(say(end));
      await eventually(() => expect(connection.isBusy).to.equal(false));
      await connection.rest();
      expect(connection.isResting).to.equal(true);
    });
  }

  it('RestingConnection › does not rest while the server waits for its client', async () => {
    const connection = await bench.openSession();
    bench.servers[0]?.say({ id: 9, method: 'sampling/createMessage', params: {} });
    await bench.got(({ method }) => method === 'sampling/createMessage');
    expect(connection.isBusy).to.equal(true);
    await connection.send(say({ id: 9, result: {} }));
    expect(connection.isBusy).to.equal(false);
  });

  it('RestingConnection › forgets a task when its lifetime is over', async () => {
    const connection = await bench.openSession();
    await connection.send(say({ id: 'x', method: 'tools/call', params: { name: 'a', task: {} } }));
    await bench.got(({ id }) => id === 'x');
    bench.nowMs = 59_000;
    expect(connection.isBusy).to.equal(true);
    bench.nowMs = 60_000;
    expect(connection.isBusy).to.equal(false);
  });

  it('RestingConnection › rests during a subscription of the proxy itself, and repeats it', async () => {
    const connection = await bench.open();
    await connection.send(say({ id: 'p1', method: 'tools/list' }));
    await bench.got(({ id }) => id === 'p1');
    const params = ownParams('1', { notifications: { toolsListChanged: true } });
    await connection.send(say({ id: 'own', method: 'subscriptions/listen', params }));
    expect(connection.isBusy).to.equal(false);
    await connection.rest();
    await connection.send(say({ id: 'p2', method: 'tools/list' }));
    await eventually(() => expect(bench.methods(1)).to.deep.equal(['subscriptions/listen', 'tools/list']));
  });

  it('RestingConnection › does not rest during a subscription of a client', async () => {
    const connection = await bench.open();
    const params = { notifications: { toolsListChanged: true }, _meta: {} };
    await connection.send(say({ id: 'p1', method: 'subscriptions/listen', params }));
    await eventually(() => expect(bench.methods(0)).to.include('subscriptions/listen'));
    await connection.rest();
    expect(connection.isResting).to.equal(false);
  });

  /** Opens a connection without a process, which responds to `initialize` and one list while `isIdle` is true. */
  const openAtRest = (isIdle: () => boolean, protocolVersion = '2025-11-25'): RestingConnection =>
    bench.atRest(({ id, method }) => {
      if (!isIdle()) return undefined;
      if (method === 'tools/list') return say({ id: JSON.parse(id.text), result: { tools: ['approved'] } });
      const result = { protocolVersion, capabilities: CAPABILITIES, serverInfo: { name: 's', version: '1' } };
      return method === 'initialize' ? say({ id: JSON.parse(id.text), result }) : undefined;
    });

  it('RestingConnection › responds from what is known until another request starts the server', async () => {
    const connection = openAtRest(() => bench.servers.length === 0);
    await connection.send(say({ id: 'p1', method: 'initialize', params: GREETING }));
    await connection.send(say({ method: 'notifications/initialized' }));
    await connection.send(say({ id: 'p2', method: 'tools/list' }));
    expect(await bench.got(({ id }) => id === 'p2')).to.have.nested.property('result.tools[0]', 'approved');
    expect(bench.servers).to.have.length(0);
    await connection.send(say({ id: 'p3', method: 'tools/call' }));
    await bench.got(({ id }) => id === 'p3');
    expect(bench.methods(0)).to.deep.equal(['initialize', 'notifications/initialized', 'tools/call']);
    await connection.send(say({ id: 'p4', method: 'tools/list' }));
    expect(await bench.got(({ id }) => id === 'p4')).to.have.nested.property('result.method', 'tools/list');
    expect(
      bench.messages.map(parse).filter((message) => (message as SentMessage).id === 'p1'),
    ).to.have.length(1);
  });

  it('RestingConnection › loses the session when the server has not what was promised', async () => {
    const connection = openAtRest(() => true, '2025-06-18');
    await connection.send(say({ id: 'p1', method: 'initialize', params: GREETING }));
    await connection.send(say({ id: 'p2', method: 'tools/call' }));
    await eventually(() => expect(bench.failure).to.have.property('code', 'ERR_SESSION_UNKNOWN'));
  });

  it('RestingConnection › ends with the reason when its first start fails', async () => {
    const connection = openAtRest(() => false);
    bench.startFault = new Error('no engine');
    await connection.send(say({ id: 'p1', method: 'initialize', params: GREETING }));
    await eventually(() => expect(bench.failure).to.have.property('code', 'ERR_SERVER_NOT_STARTED'));
  });

  const lost = [
    { title: 'another revision', script: responding(CAPABILITIES, '2025-06-18') },
    { title: 'fewer capabilities', script: responding({ tools: {} }) },
    {
      title: 'a capability without a part',
      script: responding({ tools: { listChanged: false }, logging: {} }),
    },
  ];
  for (const { title, script } of lost) {
    it(`RestingConnection › loses the session when the restarted server names ${title}`, async () => {
      bench.scripts = [{ received: respond }, script];
      const connection = await bench.openSession();
      await connection.rest();
      await connection.send(say({ id: 'p2', method: 'tools/list' }));
      await eventually(() => expect(bench.hasEnded).to.equal(true));
      expect(bench.failure).to.have.property('code', 'ERR_SESSION_UNKNOWN');
      expect(bench.servers[1]?.isClosed).to.equal(true);
      expect(bench.overs).to.equal(1);
    });
  }

  it('RestingConnection › continues the session when the restarted server has more capabilities', async () => {
    bench.scripts = [{ received: respond }, responding({ ...CAPABILITIES, prompts: {} })];
    const connection = await bench.openSession();
    await connection.rest();
    await connection.send(say({ id: 'p2', method: 'tools/list' }));
    await bench.got(({ id }) => id === 'p2');
  });

  it('RestingConnection › fails the waiting requests when the start fails, and tries again with the next', async () => {
    const connection = await bench.openSession();
    await connection.rest();
    bench.startFault = new Error('no engine');
    await Promise.all(['a', 'b'].map((id) => connection.send(say({ id, method: 'tools/list' }))));
    const failed = await eventually(() => {
      const all = bench.messages.filter((message) => message instanceof FailedRequest);
      expect(all).to.have.length(2);
      return all;
    });
    expect(failed.map(({ error }) => error.code)).to.deep.equal([
      'ERR_SERVER_NOT_STARTED',
      'ERR_SERVER_NOT_STARTED',
    ]);
    expect(connection.isBusy).to.equal(false);
    bench.startFault = undefined;
    await connection.send(say({ id: 'c', method: 'tools/list' }));
    await bench.got(({ id }) => id === 'c');
    expect(bench.hasEnded).to.equal(false);
  });

  it('RestingConnection › ends a restarted server that does not respond to the handshake in time', async () => {
    bench.scripts = [{ received: respond }, { received: () => undefined }];
    const connection = await bench.open(100);
    await connection.send(say({ id: 'p1', method: 'initialize', params: GREETING }));
    await bench.got(({ id }) => id === 'p1');
    await connection.rest();
    await connection.send(say({ id: 'p2', method: 'tools/list' }));
    const failed = bench.messages.find((message) => message instanceof FailedRequest);
    expect(failed?.error.message).to.equal('The server is still starting.');
    expect(bench.servers[1]?.isClosed).to.equal(true);
  });

  it('RestingConnection › ends without a message when its process exits while it is in use', async () => {
    const connection = await bench.openSession();
    bench.servers[0]?.exit();
    await eventually(() => expect(bench.hasEnded).to.equal(true));
    expect(bench.failure).to.equal(undefined);
    expect(bench.overs).to.equal(1);
    await connection.close();
  });

  it('RestingConnection › stops a start when it is closed', async () => {
    bench.scripts = [{ received: respond }, { received: () => undefined }];
    const connection = await bench.openSession();
    await connection.rest();
    const sent = connection.send(say({ id: 'p2', method: 'tools/list' }));
    await eventually(() => expect(bench.servers).to.have.length(2));
    await connection.close();
    await sent;
    expect(bench.servers[1]?.isClosed).to.equal(true);
    expect(bench.hasEnded).to.equal(true);
  });

  it('RestingConnection › is closed when it was closed while a server starts that then never responds', async () => {
    const connection = await bench.openSession();
    bench.scripts = [{}, { received: () => undefined }];
    await connection.rest();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    bench.mayStart = started;
    const sent = connection.send(say({ id: 'a', method: 'tools/list' })).catch((error: unknown) => error);
    await new Promise(setImmediate);
    const closed = connection.close();
    start();
    await closed;
    await sent;
    expect(bench.servers.map(({ isClosed }) => isClosed)).to.deep.equal([true, true]);
  });

  it('RestingConnection › waits for the end of one process before it starts the next', async () => {
    const mayEnd = Promise.withResolvers<void>();
    bench.scripts = [{ received: respond, mayEnd: mayEnd.promise }];
    const connection = await bench.openSession();
    const resting = connection.rest();
    const sent = connection.send(say({ id: 'p2', method: 'tools/list' }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.servers).to.have.length(1);
    mayEnd.resolve();
    await Promise.all([resting, sent]);
    expect(bench.servers).to.have.length(2);
  });
});

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import {
  HOST_PROTECTIONS,
  type HostedExit,
  type HostedServer,
  type Labels,
  type OpenServer,
  type PluginContext,
  type Runtime,
  type RuntimeKind,
  type ServerConnection,
  type WorkloadHost,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { eventually, inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract, rejectionOf } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

/**
 * Registers the suite for runtime kinds with a host. Every server has the label `portolan.dev/test`; a test
 * fails when it leaves something behind.
 */
export function hostContract(options: HostUnderTest): void {
  registerContract(`host contract: ${options.name}`, hostCases(options));
}

export interface HostUnderTest {
  readonly name: string;
  readonly kind: RuntimeKind;
  readonly blocks?: readonly unknown[];
  readonly create: (context: PluginContext) => Runtime | Promise<Runtime>;
  /**
   * Server that listens on `port`, responds to any HTTP request, and starts without this machine's network.
   */
  readonly http: HostedProgram;
  /** MCP server on standard input and output, if the host supports one. */
  readonly stdio?: HostedProgram;
  readonly missingImage: string;
  /** Timeout of each test in milliseconds. Default: 40 seconds. */
  readonly withinMs?: number;
}

export type HostedProgram = Pick<HostedServer, 'image' | 'arguments'> &
  Partial<Pick<HostedServer, 'environment' | 'port'>>;

const LABEL = 'portolan.dev/test';

interface ObservedServer {
  readonly server: OpenServer;
  readonly exits: readonly HostedExit[];
  readonly lines: readonly string[];
}

interface HostTest {
  readonly host: WorkloadHost;
  readonly labels: Labels;
  readonly signal: AbortSignal;
  readonly open: (program: HostedProgram, change?: Partial<HostedServer>) => Promise<ObservedServer>;
}

type UseHost = (action: (test: HostTest) => Promise<void>) => () => Promise<void>;

/**
 * Removes what the action left and closes the instance. Fails when something was left or a resource stays
 * open.
 */
async function useHost(options: HostUnderTest, action: (test: HostTest) => Promise<void>): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const runtime = await options.create(createTestContext());
    if (runtime.runs !== 'workloads') throw new TypeError('this runtime has an engine: see engineContract');
    const { host } = runtime;
    const ending = new AbortController();
    const labels = { [LABEL]: randomBytes(6).toString('hex') };
    const { signal } = ending;
    const opened: OpenServer[] = [];
    const open: HostTest['open'] = async (program, change) => {
      const exits: HostedExit[] = [];
      const lines: string[] = [];
      const server = await host.open(
        { ...serverOf(program, labels), ...change },
        {
          line: (text) => void lines.push(text),
          ended: (exit) => void exits.push(exit),
          progress: () => undefined,
        },
        signal,
      );
      opened.push(server);
      return { server, exits, lines };
    };
    try {
      await inTime('the end of the test', action({ host, labels, signal, open }), { withinMs });
    } finally {
      ending.abort(new Error('the test is over'));
      await Promise.all(opened.map((server) => server.close()));
      const left = await host.listServers(labels);
      await Promise.all(left.map(({ id }) => host.removeServer(id, { graceMs: 0 })));
      await runtime.close();
      await runtime.close();
      expect(
        left.map(({ name }) => name),
        'left behind',
      ).to.deep.equal([]);
    }
  }, options);
}

let names = 0;

function serverOf(program: HostedProgram, labels: Labels): HostedServer {
  names += 1;
  const { port = 0 } = program;
  return {
    name: `portolan-contract-${labels[LABEL]}-${names}`,
    labels,
    environment: {},
    secretNames: [],
    mode: 'streamable-http',
    sessions: 'own',
    network: 'open',
    outbound: { allowAll: true, hosts: [], ports: [] },
    ...program,
    transport: port === 0 ? 'stdio' : 'streamable-http',
    port,
  };
}

export function hostCases(options: HostUnderTest): readonly ContractCase[] {
  const use: UseHost = (action) => () => useHost(options, action);
  const { http, stdio, missingImage, withinMs = 40_000 } = options;
  const soon = { withinMs };
  const started = async (server: OpenServer, signal: AbortSignal): Promise<void> => {
    await server.start(signal);
    await eventually(async () => expect(await answers(server)).to.equal(true), soon);
  };
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'reports its name and what it enforces',
      run: use(async ({ host }) => {
        const description = await host.describe();
        for (const part of ['name', 'version', 'address', 'addressFrom'] as const) {
          expect(description[part], part).to.be.a('string').and.to.not.equal('');
        }
        expect(HOST_PROTECTIONS).to.include.members([...description.enforces]);
      }),
    },
    {
      title: 'opens a server without starting it, and removes it on the first or second close',
      run: use(async ({ host, open, labels }) => {
        const { server } = await open(http);
        expect(server.backend.carries).to.equal('http');
        expect(await answers(server)).to.equal(false);
        await server.close();
        await server.close();
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
    {
      title: 'starts a server that is reachable as its backend says, and lists it by its labels',
      run: use(async ({ host, open, labels, signal }) => {
        const { server } = await open(http);
        await started(server, signal);
        const listed = await host.listServers(labels);
        expect(listed.map(({ running, image }) => ({ running, image }))).to.deep.equal([
          { running: true, image: http.image },
        ]);
        expect(listed[0]?.labels).to.include(labels);
        expect(await host.listServers({ ...labels, 'portolan.dev/other': 'x' })).to.deep.equal([]);
        await server.close();
        expect(await answers(server)).to.equal(false);
      }),
    },
    {
      title: 'ends an unresponsive server, reports the exit once, and starts it again',
      run: use(async ({ open, signal }) => {
        const { server, exits } = await open(http);
        await started(server, signal);
        server.notAnswering('a test says so');
        await eventually(() => expect(exits).to.have.lengthOf(1), soon);
        expect(exits[0]?.how).to.be.a('string').and.not.to.equal('');
        expect(exits[0]?.removed ?? false).to.equal(false);
        await started(server, signal);
        await server.close();
        expect(exits).to.have.lengthOf(1);
      }),
    },
    {
      title:
        'removes a server that runs, tells that it was removed, and takes one that is not there for removed',
      run: use(async ({ host, open, labels, signal }) => {
        const { server, exits } = await open(http);
        await started(server, signal);
        const [listed] = await host.listServers(labels);
        await host.removeServer(listed?.id ?? '', { graceMs: 0 });
        await host.removeServer(listed?.id ?? '', { graceMs: 0 });
        await eventually(() => expect(exits.map(({ removed }) => removed)).to.deep.equal([true]), soon);
        expect(await answers(server)).to.equal(false);
        expect(await host.listServers(labels)).to.deep.equal([]);
        await server.close();
      }),
    },
    {
      title: 'refuses an image that it cannot run, before or at the start, and leaves nothing behind',
      run: use(async ({ host, open, labels, signal }) => {
        const start = async (): Promise<void> => {
          const { server } = await open({ ...http, image: missingImage });
          await server.start(signal).finally(() => server.close());
        };
        expect(await rejectionOf(start())).to.be.instanceOf(Error);
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
    {
      title: 'rejects with the reason when its signal has aborted',
      run: use(async ({ host, labels }) => {
        const reason = new Error('aborted by the test');
        const report = { line: () => undefined, ended: () => undefined, progress: () => undefined };
        const opening = host.open(serverOf(http, labels), report, AbortSignal.abort(reason));
        expect(await rejectionOf(opening)).to.equal(reason);
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
    ...(stdio === undefined ? [] : hostMessageCases(stdio, use)),
  ];
}

async function answers({ backend }: OpenServer): Promise<boolean> {
  if (backend.carries !== 'http')
    throw new TypeError('the server transports HTTP; expected a backend of the type http');
  const { target, agent } = backend;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const clientRequest = request(
    target,
    { ...(agent === undefined ? {} : { agent }), timeout: 2000 },
    (response) => {
      response.destroy();
      resolve(true);
    },
  );
  clientRequest.once('timeout', () => clientRequest.destroy(new Error('no response in time')));
  clientRequest.once('error', () => resolve(false));
  clientRequest.end();
  return await promise;
}

const GREETING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

function hostMessageCases(stdio: HostedProgram, use: UseHost): readonly ContractCase[] {
  return [
    {
      title: 'opens separate processes of a stdio server',
      run: use(async ({ host, open, labels, signal }) => {
        const { server, exits } = await open(stdio);
        const { backend } = server;
        if (backend.carries !== 'messages')
          throw new TypeError(
            'the server uses standard input and output; expected a backend of the type messages',
          );
        expect(backend).to.include({ mode: 'streamable-http', sessions: 'own' });
        const connections = [await backend.openConnection(signal), await backend.openConnection(signal)];
        for (const connection of connections) {
          await connection.send(GREETING);
          expect(await firstResponse(connection)).to.have.nested.property('result.serverInfo');
        }
        await connections[0]?.close();
        await connections[0]?.close();
        expect((await host.listServers(labels)).map(({ running }) => running)).to.deep.equal([true]);
        await connections[1]?.close();
        await server.close();
        expect(exits).to.deep.equal([]);
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
  ];
}

async function firstResponse({ received }: ServerConnection): Promise<unknown> {
  const { value, done } = await received[Symbol.asyncIterator]().next();
  if (done === true) throw new Error('the connection ended before a response');
  return JSON.parse(typeof value === 'string' ? value : value.beginning);
}

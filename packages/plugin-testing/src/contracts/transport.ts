import type {
  ContainerSpec,
  MessageConnection,
  PluginContext,
  ReceivedMessage,
  Transport,
  TransportKind,
  TransportSetup,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { inTime } from '../eventually.ts';
import { FakeAttachment } from '../fake-attachment.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function transportContract(options: TransportUnderTest): void {
  registerContract(`transport contract: ${options.name}`, transportCases(options));
}

export interface TransportUnderTest {
  readonly name: string;
  readonly kind: TransportKind;
  readonly blocks?: readonly unknown[];
  readonly create: (context: PluginContext) => Transport | Promise<Transport>;
  /** Wire format of the server. Required for a kind that carries messages. */
  readonly wire?: MessageWire;
  /** Timeout of each wait in milliseconds. Default: 20 seconds. */
  readonly withinMs?: number;
}

/** Server side of a transport that carries messages. */
export interface MessageWire {
  /** Returns the bytes that a server writes. */
  readonly encode: (message: string) => Uint8Array;
  /** Returns all messages in the bytes that a server has read. */
  readonly decode: (bytes: Uint8Array) => readonly string[];
}

const SPEC: ContainerSpec = {
  name: 'notes',
  image: 'acme/notes:1',
  command: ['serve', '--fast'],
  environment: { REGION: 'eu' },
  labels: { 'portolan.dev/name': 'notes' },
  user: '65532:65532',
  mounts: [{ type: 'bind', source: '/srv/notes', target: '/notes', readOnly: true }],
  network: { mode: 'none' },
  ports: [{ containerPort: 9000, hostAddress: '127.0.0.1' }],
  capabilities: [],
  limits: { memoryBytes: 1_000_000 },
};

/** Fields that a transport may change to configure the server. */
const TELLING: readonly (keyof ContainerSpec)[] = ['command', 'entrypoint', 'environment', 'stdin'];

export function transportCases(options: TransportUnderTest): readonly ContractCase[] {
  const { kind } = options;
  const withTransport = async (action: (transport: Transport) => void): Promise<void> => {
    action(await options.create(createTestContext()));
  };
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'carries what its kind declares',
      run: () =>
        withTransport((transport) => {
          expect(kind.carries).to.be.oneOf(['messages', 'http']);
          expect(transport.carries).to.equal(kind.carries);
        }),
    },
    {
      title: 'returns the same new spec each time, without changing its argument',
      run: () =>
        withTransport((transport) => {
          for (const setup of setupsOf(transport)) {
            const prepared = transport.prepareContainer(deepFrozen(structuredClone(SPEC)), setup);
            expect(transport.prepareContainer(SPEC, setup)).to.deep.equal(prepared);
          }
        }),
    },
    {
      title: 'changes only the fields of a spec that concern the start of the server',
      run: () => withTransport(changesNothingElse),
    },
    {
      title: 'keeps variables that are already set',
      run: () => withTransport(keepsVariables),
    },
    ...(kind.carries === 'http' ? httpCases(withTransport) : connectionCases(options)),
  ];
}

function setupsOf({ carries }: Transport): readonly TransportSetup[] {
  const ports = carries === 'http' ? [8080, 65_535] : [undefined];
  return ports.flatMap((port) => [
    { port, serves: 'session' },
    { port, serves: 'shared' },
  ]);
}

function changesNothingElse(transport: Transport): void {
  for (const setup of setupsOf(transport)) {
    const prepared: Record<string, unknown> = { ...transport.prepareContainer(SPEC, setup) };
    const before: Record<string, unknown> = { ...SPEC };
    for (const field of TELLING) {
      delete prepared[field];
      delete before[field];
    }
    expect(prepared).to.deep.equal(before);
  }
}

function keepsVariables(transport: Transport): void {
  for (const setup of setupsOf(transport)) {
    const environment = transport.prepareContainer(SPEC, setup).environment;
    expect(environment).to.include(SPEC.environment);
    const mine = Object.fromEntries(Object.keys(environment).map((name) => [name, 'mine']));
    expect(transport.prepareContainer({ ...SPEC, environment: mine }, setup).environment).to.deep.equal(mine);
  }
}

function httpCases(
  withTransport: (action: (transport: Transport) => void) => Promise<void>,
): readonly ContractCase[] {
  return [
    {
      title: 'passes the port to the server',
      run: () =>
        withTransport((transport) => {
          const { environment, command } = transport.prepareContainer(SPEC, {
            port: 43_210,
            serves: 'shared',
          });
          expect([...Object.values(environment), ...command].join(' ')).to.include('43210');
        }),
    },
    {
      title: 'returns the path of the endpoint',
      run: () =>
        withTransport((transport) => {
          expect(transport)
            .to.have.property('clientPath')
            .that.matches(/^\/[^\s?#]*$/);
        }),
    },
  ];
}

const MESSAGES = [
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":2,"result":{"text":"Grüße, 世界 🗺 \\n \\u2028"}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"text":"\u2028\u0085"}}',
];
const MAX_BYTES = 4096;

type Use = (connection: MessageConnection, server: FakeAttachment, wire: MessageWire) => Promise<void>;

function connectionCases(options: TransportUnderTest): readonly ContractCase[] {
  const use = (action: Use) => (): Promise<void> => useConnection(options, action);
  return [
    {
      title: 'keeps standard input open, for a shared process even after its first client',
      run: async () => {
        const transport = await options.create(createTestContext());
        const spec = { name: 'notes', image: 'acme/notes:1', command: [], environment: {}, labels: {} };
        const stdinFor = (serves: 'session' | 'shared') =>
          transport.prepareContainer(spec, { port: undefined, serves }).stdin;
        expect(stdinFor('session')).to.be.oneOf(['once', 'open']);
        expect(stdinFor('shared')).to.equal('open');
      },
    },
    { title: 'yields each message unchanged, then ends with the server', run: use(yieldsAll) },
    { title: 'yields messages that arrive byte by byte', run: use(yieldsPieces) },
    { title: 'sends each message unchanged', run: use(sendsAll) },
    { title: 'rejects a message after the server has exited', run: use(rejectsLate) },
    { title: 'skips a message above the size limit, and yields its beginning', run: use(skipsLong) },
    { title: 'throws when the connection breaks', run: use(throwsWhenBroken) },
    { title: 'yields the log lines of the server', run: use(yieldsLog) },
    {
      title: 'releases the container on close, which is idempotent',
      run: use(async (connection, server) => {
        await connection.close();
        await connection.close();
        expect(server.closed).to.be.greaterThan(0);
      }),
    },
  ];
}

async function useConnection(options: TransportUnderTest, action: Use): Promise<void> {
  const { wire, withinMs = 20_000 } = options;
  if (wire === undefined)
    throw new Error('the option "wire" is missing; a kind that carries messages needs it');
  const transport = await options.create(createTestContext());
  if (transport.carries !== 'messages') throw new Error('the transport does not carry messages');
  const server = new FakeAttachment();
  await leavesNothingOpen(async () => {
    const connection = transport.openConnection(server, { maxMessageBytes: MAX_BYTES });
    try {
      await inTime('the end of the test', action(connection, server, wire), { withinMs });
    } finally {
      await connection.close();
    }
  });
}

const yieldsAll: Use = async ({ received }, server, { encode }) => {
  for (const message of MESSAGES) server.say(encode(message));
  server.end();
  expect(await collect(received)).to.deep.equal(MESSAGES);
};

const yieldsPieces: Use = async ({ received }, server, { encode }) => {
  const bytes = Buffer.concat(MESSAGES.map((message) => encode(message)));
  for (const byte of bytes) server.say(Uint8Array.of(byte));
  server.end();
  expect(await collect(received)).to.deep.equal(MESSAGES);
};

const sendsAll: Use = async (connection, server, { decode }) => {
  for (const message of MESSAGES) await connection.send(message);
  expect(decode(Buffer.concat(server.written))).to.deep.equal(MESSAGES);
};

const rejectsLate: Use = async (connection, server) => {
  server.end();
  await expectThrows(() => connection.send('{}'));
};

const skipsLong: Use = async ({ received }, server, { encode }) => {
  const [first = '', second = ''] = MESSAGES;
  const long = JSON.stringify('x'.repeat(MAX_BYTES));
  for (const message of [first, long, second]) server.say(encode(message));
  server.end();
  const [before, skipped, ...after] = await collect(received);
  expect([before, ...after]).to.deep.equal([first, second]);
  const beginning = typeof skipped === 'object' ? skipped.beginning : '';
  expect(beginning).to.include('xxx').and.to.have.length.within(3, long.length);
};

const throwsWhenBroken: Use = async ({ received }, server, { encode }) => {
  server.say(encode(MESSAGES[0] ?? ''));
  server.end(new Error('the engine went away'));
  const before: ReceivedMessage[] = [];
  await expectThrows(() => collect(received, before));
  expect(before).to.deep.equal(MESSAGES.slice(0, 1));
};

const yieldsLog: Use = async ({ logged }, server) => {
  server.log('first\nsec');
  server.log('ond\n');
  server.end();
  expect(await collect(logged)).to.deep.equal(['first', 'second']);
};

async function collect<Text>(texts: AsyncIterable<Text>, collected: Text[] = []): Promise<readonly Text[]> {
  for await (const text of texts) collected.push(text);
  return collected;
}

async function expectThrows(action: () => Promise<unknown>): Promise<void> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown, 'what was thrown').to.be.instanceOf(Error);
}

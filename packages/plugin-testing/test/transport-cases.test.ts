import type {
  Attachment,
  MessageConnection,
  MessageTransport,
  ReceivedMessage,
  Transport,
  TransportKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { transportCases, transportContract, type TransportUnderTest } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

const config = { type: 'object', description: 'Messages that end with a bell.', properties: {} } as const;
const BELL = '\u0007';

/** Messages that end with a bell, over both streams; tests below break one promise at a time. */
function openBells(attachment: Attachment, mostCharacters: number): MessageConnection {
  async function* skipLong(messages: AsyncIterable<string>): AsyncGenerator<ReceivedMessage> {
    for await (const message of messages) {
      yield message.length > mostCharacters ? { beginning: message.slice(0, 100) } : message;
    }
  }
  const { stdout, stderr, ended } = attachment;
  async function* split(stream: AsyncIterable<Uint8Array>, end: string): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split(end);
      rest = parts.pop() ?? '';
      yield* parts;
    }
    const failure = await ended;
    if (failure !== undefined) throw failure;
  }
  return {
    received: skipLong(split(stdout, BELL)),
    logged: split(stderr, '\n'),
    send: (message) => attachment.write(Buffer.from(message + BELL)),
    close: async () => attachment.close(),
  };
}

const good: MessageTransport = {
  carries: 'messages',
  prepareContainer: (spec, { serves }) => ({
    ...spec,
    stdin: serves === 'shared' ? 'open' : 'once',
    environment: { MODE: 'bell', ...spec.environment },
  }),
  openConnection: (attachment, { maxMessageBytes }) => openBells(attachment, maxMessageBytes),
};

const kind: TransportKind = { kind: 'bell', config, carries: 'messages', create: () => good };

const tried = (transport: Transport, ofKind: TransportKind = kind): TransportUnderTest => ({
  name: 'bell',
  kind: ofKind,
  blocks: [{}],
  create: () => transport,
  wire: {
    encode: (message) => Buffer.from(message + BELL),
    decode: (bytes) => Buffer.from(bytes).toString().split(BELL).slice(0, -1),
  },
  withinMs: 500,
});

transportContract(tried(good));

describe('transportCases', () => {
  const connecting = (change: (whole: MessageConnection) => Partial<MessageConnection>): Transport => ({
    ...good,
    openConnection: (attachment, options) => {
      const whole = good.openConnection(attachment, options);
      return { ...whole, ...change(whole) };
    },
  });

  const broken: readonly { title: string; transport: Transport; fails: readonly string[] }[] = [
    {
      title: 'weakens the container',
      transport: {
        ...good,
        prepareContainer: (spec, setup) => ({ ...good.prepareContainer(spec, setup), privileged: true }),
      },
      fails: ['changes nothing of a spec but how the server is started'],
    },
    {
      title: 'overwrites variables',
      transport: {
        ...good,
        prepareContainer: (spec, setup) => ({
          ...good.prepareContainer(spec, setup),
          environment: { ...spec.environment, MODE: 'bell' },
        }),
      },
      fails: ['leaves every variable as it is that is set already'],
    },
    {
      title: 'changes the spec it was given',
      transport: {
        ...good,
        prepareContainer: (spec, setup) => Object.assign(spec, good.prepareContainer(spec, setup)),
      },
      fails: ['prepares a spec without changing the one it was given, and the same again'],
    },
    {
      title: 'never has an end',
      transport: connecting(() => ({
        received: (async function* endless() {
          await new Promise(() => undefined);
          yield '';
        })(),
      })),
      fails: ['yields each message as it came, then ends with the server'],
    },
    {
      title: 'ends as if all were well when the connection broke',
      transport: connecting(({ received }) => ({
        received: (async function* quiet() {
          try {
            yield* received;
          } catch {
            // That is the fault.
          }
        })(),
      })),
      fails: ['throws when the connection broke'],
    },
    {
      title: 'passes on messages of any length',
      transport: {
        ...good,
        openConnection: (attachment) => openBells(attachment, Number.POSITIVE_INFINITY),
      },
      fails: ['skips a message that is too long, and says how it began'],
    },
    {
      title: 'changes messages',
      transport: connecting((whole) => ({ send: (message) => whole.send(message.trim().toLowerCase()) })),
      fails: ['sends each message as it is'],
    },
    {
      title: 'keeps the container when it is closed',
      transport: connecting(() => ({ close: async () => undefined })),
      fails: ['lets go of the container when it is closed, and may be closed twice'],
    },
  ];
  for (const { title, transport, fails } of broken) {
    it(`finds a transport that ${title}`, async () => {
      expect(await failingCases(transportCases(tried(transport)))).to.include.members(fails);
    });
  }

  it('finds a transport for HTTP that tells no port, and names no path', async () => {
    const transport: Transport = { carries: 'http', clientPath: 'mcp', prepareContainer: (spec) => spec };
    const failing = await failingCases(transportCases(tried(transport, { ...kind, carries: 'http' })));
    expect(failing).to.deep.equal([
      'tells the server its port',
      'names the path at which clients reach the server',
    ]);
  });

  it('finds a transport that carries something else than its kind says', async () => {
    const failing = await failingCases(
      transportCases(tried({ carries: 'http', clientPath: '/', prepareContainer: (spec) => spec })),
    );
    expect(failing).to.include('carries what its kind says');
  });
});

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
function openBells(attachment: Attachment, maxCharacters: number): MessageConnection {
  async function* skipLong(messages: AsyncIterable<string>): AsyncGenerator<ReceivedMessage> {
    for await (const message of messages) {
      yield message.length > maxCharacters ? { beginning: message.slice(0, 100) } : message;
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
      fails: ['changes only the fields of a spec that concern the start of the server'],
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
      fails: ['keeps variables that are already set'],
    },
    {
      title: 'changes the spec it was given',
      transport: {
        ...good,
        prepareContainer: (spec, setup) => Object.assign(spec, good.prepareContainer(spec, setup)),
      },
      fails: ['returns the same new spec each time, without changing its argument'],
    },
    {
      title: 'never has an end',
      transport: connecting(() => ({
        received: (async function* endless() {
          await new Promise(() => undefined);
          yield '';
        })(),
      })),
      fails: ['yields each message unchanged, then ends with the server'],
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
      fails: ['throws when the connection breaks'],
    },
    {
      title: 'passes on messages of any length',
      transport: {
        ...good,
        openConnection: (attachment) => openBells(attachment, Number.POSITIVE_INFINITY),
      },
      fails: ['skips a message above the size limit, and yields its beginning'],
    },
    {
      title: 'changes messages',
      transport: connecting((whole) => ({ send: (message) => whole.send(message.trim().toLowerCase()) })),
      fails: ['sends each message unchanged'],
    },
    {
      title: 'keeps the container when it is closed',
      transport: connecting(() => ({ close: async () => undefined })),
      fails: ['releases the container on close, which is idempotent'],
    },
  ];
  for (const { title, transport, fails } of broken) {
    it(`fails for a transport that ${title}`, async () => {
      expect(await failingCases(transportCases(tried(transport)))).to.include.members(fails);
    });
  }

  it('fails for an HTTP transport that sets no port and names no path', async () => {
    const transport: Transport = { carries: 'http', clientPath: 'mcp', prepareContainer: (spec) => spec };
    const failing = await failingCases(transportCases(tried(transport, { ...kind, carries: 'http' })));
    expect(failing).to.deep.equal(['passes the port to the server', 'returns the path of the endpoint']);
  });

  it('fails for a transport that carries other messages than its kind declares', async () => {
    const failing = await failingCases(
      transportCases(tried({ carries: 'http', clientPath: '/', prepareContainer: (spec) => spec })),
    );
    expect(failing).to.include('carries what its kind declares');
  });
});

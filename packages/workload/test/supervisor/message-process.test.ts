import type {
  Attachment,
  ContainerEngine,
  MessageConnection,
  MessageTransport,
  ReceivedMessage,
} from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { StartedContainer } from '../../src/supervisor/server/container-starter.ts';
import { MessageProcess } from '../../src/supervisor/server/message-process.ts';

/** The container keeps running when its output ends. */
describe('MessageProcess', () => {
  const attachment = (): Attachment => {
    const parts: Partial<Attachment> = {
      ended: Promise.resolve(undefined),
      close: () => undefined,
      endInput: () => undefined,
    };
    return parts as Attachment; // these tests do not use its streams
  };

  /**
   * Receives from a process. Each item of `says` holds the messages of one connection, which then ends. Later
   * connections carry nothing.
   */
  async function receive(says: readonly (readonly string[])[]) {
    let connections = 0;
    const exits: unknown[] = [];
    const logger = createRecordingLogger();
    const engine: Partial<ContainerEngine> = {
      attachContainer: async () => attachment(),
      // The process reads only this part.
      inspectContainer: async () => ({ state: { running: true } }) as never,
      waitForExit: (_id, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    };
    const transport: Partial<MessageTransport> = {
      openConnection: (): MessageConnection => {
        const lines = says[connections] ?? [];
        connections += 1;
        return {
          received: (async function* () {
            yield* lines;
          })(),
          logged: (async function* () {
            yield* [];
          })(),
          send: async () => undefined,
          close: async () => undefined,
        };
      },
    };
    // The process uses only these functions.
    const server = new MessageProcess({
      container: { id: 'c', name: 'notes', attachment: attachment() } as StartedContainer,
      transport: transport as MessageTransport,
      runtime: engine as ContainerEngine,
      outlivesConnection: true,
      ending: new AbortController().signal,
      logged: () => undefined,
      seen: () => undefined,
      exited: async (state) => void exits.push(state),
      closed: async () => undefined,
      logger,
    });
    const received: ReceivedMessage[] = [];
    for await (const message of server.received) received.push(message);
    return { received, connections, exits, warnings: logger.lines.filter(({ level }) => level === 'warn') };
  }

  it('gives up a running server that has closed its output', async () => {
    const { received, connections, exits, warnings } = await receive([['{"a":1}']]);
    expect(received).to.deep.equal(['{"a":1}']);
    expect(connections).to.equal(6);
    expect(exits).to.deep.equal([{ running: true }]);
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'server has closed its output but still runs',
    ]);
  });

  it('counts silent connections from zero after each message', async () => {
    const { received, connections } = await receive([[], [], ['{"a":1}'], [], ['{"b":2}']]);
    expect(received).to.deep.equal(['{"a":1}', '{"b":2}']);
    expect(connections).to.equal(10);
  });
});

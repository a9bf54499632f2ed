import { type RequestMessage, parseServerMessage } from '@portolan/mcp-protocol';
import { setImmediate as setImmediateCallback } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ServerConnection } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createCounts } from '../../src/request/counts.ts';
import { PROXY_LIMITS } from '../../src/index.ts';
import { ServerLink } from '../../src/server/server-link.ts';
import type { ResponseScope } from '../../src/transparent/judge/response-scope.ts';
import { judgeStream } from '../../src/transparent/judge/judge-stream.ts';
import { LARGE_MESSAGE, Turn } from '../../src/request/turn.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

const TINY_MESSAGE = '{"jsonrpc":"2.0","method":"notifications/x"}';
const TURNS = 3;

/** A server whose lines are all available at once. */
class FloodingServer implements ServerConnection {
  read = 0;
  readonly received: AsyncIterable<string>;

  constructor(line: string, count: number) {
    this.received = this.#write(line, count);
  }

  async send(): Promise<void> {}

  async close(): Promise<void> {}

  async *#write(line: string, count: number): AsyncGenerator<string> {
    while (this.read < count) {
      this.read += 1;
      yield line;
    }
  }
}

describe('Turn', () => {
  const logger = createRecordingLogger();

  it('ends after its working time, not counting the time in which its reader waits', async () => {
    const turn = new Turn();
    expect(turn.isOver()).to.equal(false);
    workFor(6);
    expect(turn.isOver()).to.equal(true);
    await turn.yield();
    expect(turn.isOver()).to.equal(false);
    await setImmediate();
    workFor(6);
    expect(turn.isOver(), 'the event loop has served others meanwhile').to.equal(false);
  });

  function open(connection: ServerConnection): ServerLink {
    const counts = createCounts();
    return new ServerLink(connection, {
      limits: PROXY_LIMITS,
      counts,
      logger,
      clock: () => new Date(),
      nowMs: () => performance.now(),
    });
  }

  for (const { title, line, count } of [
    { title: '1M stray lines', line: 'x', count: 1_000_000 },
    { title: '200,000 tiny messages', line: TINY_MESSAGE, count: 200_000 },
  ]) {
    it(`ServerLink › serves another session while a server writes ${title}`, async () => {
      const other = new ScriptedServer({
        // The response needs several turns of the event loop, as one from a socket does.
        received: ({ id }, server) => void replyLater(server, id),
      });
      const flooding = new FloodingServer(line, count);
      const links = [open(other), open(flooding)] as const;
      const answered = Promise.withResolvers<number>();
      links[0].request(readRequest('{"jsonrpc":"2.0","id":1,"method":"tools/call"}'), {
        answered: () => answered.resolve(flooding.read),
        progressed: () => undefined,
        failed: answered.reject,
      });
      expect(await answered.promise).to.be.within(1, count - 1);
      await links[1].ended;
      expect(flooding.read).to.equal(count);
      await links[0].close();
    });
  }

  it('ServerLink › keeps the order of messages when it yields', async () => {
    const count = 50_000;
    const methods: string[] = [];
    const link = open({
      received: (async function* () {
        for (let at = 0; at < count; at += 1) yield `{"jsonrpc":"2.0","method":"m${at}"}`;
      })(),
      send: async () => undefined,
      close: async () => undefined,
    });
    link.listen({
      requested: () => undefined,
      notified: ({ method }) => methods.push(method),
      ended: () => undefined,
      takesBatches: false,
    });
    await link.ended;
    expect(methods).to.deep.equal(Array.from({ length: count }, (_, at) => `m${at}`));
  });

  it('ServerLink › serves others between parsing and passing on a large message', async () => {
    const large = `{"jsonrpc":"2.0","method":"large","params":{"text":"${'x'.repeat(LARGE_MESSAGE)}"}}`;
    const events: string[] = [];
    const { parse } = JSON;
    JSON.parse = (...input: Parameters<typeof parse>): unknown => {
      if (input[0].length > LARGE_MESSAGE) {
        events.push('parsed');
        setImmediateCallback(() => events.push('others'));
      }
      return parse(...input);
    };
    try {
      const link = open({
        received: (async function* () {
          yield* [TINY_MESSAGE, large, TINY_MESSAGE];
        })(),
        send: async () => undefined,
        close: async () => undefined,
      });
      link.listen({
        requested: () => undefined,
        notified: ({ method }) => events.push(method),
        ended: () => undefined,
        takesBatches: false,
      });
      await link.ended;
    } finally {
      JSON.parse = parse;
    }
    expect(events).to.deep.equal(['notifications/x', 'parsed', 'others', 'large', 'notifications/x']);
  });

  it('parseServerMessage › does not run JSON.parse on stray lines', () => {
    const { parse } = JSON;
    let calls = 0;
    JSON.parse = (...input: Parameters<typeof parse>): unknown => {
      calls += 1;
      return parse(...input);
    };
    try {
      for (const line of ['x', '', ' 1', 'null', '"{}"', 'INFO [main] {}']) {
        expect(parseServerMessage(line), line).to.equal('it is not a JSON object');
      }
      expect(calls).to.equal(0);
      expect(parseServerMessage(` \t${TINY_MESSAGE}`)).to.have.property('kind', 'notification');
      expect(calls).to.equal(1);
    } finally {
      JSON.parse = parse;
    }
  });

  it('judgeStream › yields between stray events of one chunk, and keeps their order', async () => {
    const count = 200_000;
    let judged = 0;
    const scope: Pick<ResponseScope, 'judge'> = {
      judge: (text) => {
        judged += 1;
        return { text, id: undefined };
      },
    };
    // SAFETY: judgeStream calls no other member of the scope.
    const stream = judgeStream({
      scope: scope as ResponseScope,
      endpoint: undefined,
      announced: undefined,
      logger,
    });
    const sent = Buffer.from(
      Array.from({ length: count }, (_, at) => `event: message\ndata: ${at}\n\n`).join(''),
    );
    const passed = buffer(Readable.from([sent]).pipe(stream));
    await eventually(() => expect(judged).to.be.greaterThan(0));
    expect(judged).to.be.lessThan(count);
    expect((await passed).equals(sent)).to.equal(true);
  });
});

/** Blocks the event loop for the given milliseconds. */
function workFor(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

async function replyLater(server: ScriptedServer, id: unknown): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  server.say({ id, result: {} });
}

function readRequest(text: string): RequestMessage {
  const message = parseServerMessage(text);
  if (typeof message === 'string' || message.kind !== 'request') throw new TypeError(text);
  return message;
}

import type { ReceivedMessage, ServerConnection } from '@portolan/plugin-api';
import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { McpClient } from '../support/mcp-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServer, ScriptedServers } from '../support/scripted-server.ts';
import { speak } from '../support/spoken-to.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'plain', arguments: {} } };
/** Number of rounds, which alternate between quiet and flood. */
const ROUNDS = 6;
const CALLS = 15;
/** Maximum ratio of a call's CPU time during a flood to its time without one. */
const MAX_RATIO = 2;

/** A server that repeats one line endlessly while the test wants it to. */
class FloodingServer implements ServerConnection {
  readonly received: AsyncIterable<ReceivedMessage>;
  readonly #server: ScriptedServer;
  #line: string | undefined;
  #wake = Promise.withResolvers<void>();
  written = 0;

  constructor(server: ScriptedServer) {
    this.#server = server;
    this.received = this.#write();
  }

  send(text: string): Promise<void> {
    return this.#server.send(text);
  }

  async close(): Promise<void> {
    this.stop();
    await this.#server.close();
  }

  flood(line: string): void {
    this.#line = line;
    this.#wake.resolve();
  }

  stop(): void {
    this.#line = undefined;
    this.#wake = Promise.withResolvers();
  }

  async *#write(): AsyncGenerator<ReceivedMessage> {
    const lines = this.#server.received[Symbol.asyncIterator]();
    let next = lines.next();
    for (;;) {
      const line = this.#line;
      if (line !== undefined) {
        this.written += 1;
        yield line;
        continue;
      }
      const said = await Promise.race([next, this.#wake.promise]);
      if (said === undefined) continue;
      if (said.done === true) return;
      yield said.value;
      next = lines.next();
    }
  }
}

describe('server that floods the proxy (M1)', function () {
  this.timeout(120_000);
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  for (const { title, line, sessions = 1 } of [
    { title: 'stray lines', line: 'x' },
    { title: 'stray lines of four servers', line: 'x', sessions: 4 },
    {
      title: 'tiny messages of four servers',
      line: '{"jsonrpc":"2.0","method":"notifications/x"}',
      sessions: 4,
    },
    { title: 'lines that look like messages', line: '{x' },
    { title: 'tiny messages', line: '{"jsonrpc":"2.0","method":"notifications/x"}' },
    { title: 'tiny log messages', line: '{"jsonrpc":"2.0","method":"notifications/message","params":{}}' },
    { title: 'tiny requests', line: '{"jsonrpc":"2.0","id":1,"method":"x"}' },
    { title: 'responses without a request', line: '{"jsonrpc":"2.0","id":"p-0","result":{}}' },
  ]) {
    it(`slows down another session to at most ${MAX_RATIO} times its normal p50: ${title}`, async () => {
      const servers = new ScriptedServers({ received: speak });
      const flooding: FloodingServer[] = [];
      const openConnection = async (): Promise<ServerConnection> => {
        const server = new FloodingServer(new ScriptedServer({ received: speak }));
        flooding.push(server);
        return server;
      };
      const { url } = await proxies.open({ ...servers.backend(), openConnection });
      for (let at = 0; at < sessions; at += 1) await McpClient.connect(url);
      const floods = flooding.slice(0, sessions);
      const other = await McpClient.connect(url);
      const quiet: number[] = [];
      const flooded: number[] = [];
      await measure(other, []);
      for (let round = 0; round < ROUNDS; round += 1) {
        await measure(other, quiet);
        for (const server of floods) server.flood(line);
        await setImmediate();
        await measure(other, flooded);
        for (const server of floods) server.stop();
        await setImmediate();
      }
      for (const { written } of floods) expect(written).to.be.greaterThan(ROUNDS * CALLS);
      expect(median(flooded) / median(quiet)).to.be.at.most(MAX_RATIO);
    });
  }
});

/**
 * Calls a tool several times and notes the CPU time of this process for each, in microseconds.
 * Client, proxy and servers share it, so during a flood it is the time that the call took,
 * without what other processes of the machine took.
 */
async function measure(client: McpClient, into: number[]): Promise<void> {
  for (let at = 0; at < CALLS; at += 1) {
    const before = process.cpuUsage();
    const { status } = await client.post(CALL);
    const { user, system } = process.cpuUsage(before);
    expect(status).to.equal(200);
    into.push(user + system);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

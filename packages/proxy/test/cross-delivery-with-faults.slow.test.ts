import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { setTimeout as pass } from 'node:timers/promises';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { HttpBackendUnderTest } from './support/http-backend.ts';
import type { Events } from './support/http-client.ts';
import { initialize, McpClient } from './support/mcp-client.ts';
import { Proxies } from './support/proxy-under-test.ts';
import { type Script, type SentMessage, ScriptedServers } from './support/scripted-server.ts';
import { TestRestarts } from './support/test-restarts.ts';

const CLIENTS = 16;
const ROUNDS = 8;
const JUDGE = { name: 'judge', placed: 'filter', instance: { onResponse: () => undefined } } as const;

/** Actions of a client in a round. The name of the called tool says what the server does. */
const ACTIONS = ['asks', 'asks', 'asks', 'leaves', 'resumes', 'kills'] as const;

type Path = 'own processes' | 'a shared process' | 'HTTP' | 'HTTP, judged';

/**
 * Repeats the delivery test while servers crash, clients disconnect and streams resume. A client may get an
 * error or a broken connection, but never another client's response and no response twice.
 */
describe('delivery of responses under random failures', function () {
  this.timeout(limitMs(60_000));
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  for (const path of ['own processes', 'a shared process', 'HTTP', 'HTTP, judged'] as const) {
    it(`reaches no other client: ${path}`, async () => {
      let answered = 0;
      const each = fc.asyncProperty(fc.integer(), async (seed) => {
        answered += await tryOnce(path, seed);
      });
      await fc.assert(
        each.afterEach(async () => {
          await proxies.close();
          await Promise.all(backends.splice(0).map((backend) => backend.close()));
        }),
        trials({ short: 1, long: 60 }),
      );
      // The number depends on when a server crashes. On a slow machine a single run may have none.
      expect(answered, 'calls that were answered').to.be.greaterThan(0);
    });
  }

  /** Returns the number of calls that got a response. */
  async function tryOnce(path: Path, seed: number): Promise<number> {
    const seeded = new SeededRandom(seed);
    const random = (): number => seeded.next();
    const backend = path.startsWith('HTTP') ? await openHttp(random) : openStdio(path, random);
    const { url, proxy } = await proxies.open(backend, {
      restarts: new TestRestarts({ firstDelayMs: 1, longestDelayMs: 5, failures: 1_000_000 }),
      limits: { maxProcesses: CLIENTS + 4, makesRoomAfterMs: 0, requestMs: 5000 },
      ...(path === 'HTTP, judged' ? { middleware: [JUDGE] } : {}),
    });
    const clients = Array.from({ length: CLIENTS }, (_, at) => new Caller(url, at, random));
    await Promise.all(clients.map((client) => client.run()));
    const answered = clients.reduce((sum, client) => sum + client.answered, 0);
    await pass(20);
    for (const client of clients) await client.calm();
    expect(proxy.stats.waiting).to.equal(0);
    return answered;
  }

  /**
   * Opens a stdio server that sends progress when requested and then responds after a delay. The tool `dies`
   * ends the process.
   */
  function openStdio(path: Path, random: () => number): ServerBackend {
    const received: Script['received'] = (message, server) => {
      if (message.method === 'initialize') server.greet(message);
      if (message.method !== 'tools/call') return;
      for (const text of progressOf(message)) server.say(text);
      if (message.params.name === 'dies') server.exit();
      else setTimeout(() => server.say(answerTo(message)), random() * 8);
    };
    const servers = new ScriptedServers({ received });
    const sessions = path === 'a shared process' ? 'shared' : 'own';
    return servers.backend({ sessions });
  }

  /** Opens the same server over HTTP. The tool `dies` breaks all open connections. */
  async function openHttp(random: () => number): Promise<ServerBackend> {
    let sessions = 0;
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method !== 'POST') {
        response.writeHead(method === 'GET' ? 405 : 204).end();
        return;
      }
      const message: SentMessage = { text: '', ...(JSON.parse(body.toString()) as object) };
      if (message.method === 'initialize') {
        sessions += 1;
        const head = { 'Content-Type': 'application/json', 'Mcp-Session-Id': `session-${sessions}` };
        response.writeHead(200, head).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
      } else if (message.params?.name === 'dies') backend.server.closeAllConnections();
      else {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        const events = [...progressOf(message), answerTo(message)].map(
          (one) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...one })}\n\n`,
        );
        setTimeout(() => response.end(events.join('')), random() * 8);
      }
    });
    backends.push(backend);
    return { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false };
  }
});

function progressOf({ params }: SentMessage): readonly object[] {
  const progressToken: unknown = params?.['_meta']?.progressToken;
  if (progressToken === undefined) return [];
  return [{ method: 'notifications/progress', params: { progressToken, progress: 1 } }];
}

function answerTo({ id, params }: SentMessage): object {
  return { id, result: { own: params.arguments.own } };
}

/** A client that opens a new session when it lost its own, and counts the responses. */
class Caller {
  readonly #url: URL;
  readonly #name: number;
  readonly #random: () => number;
  #client: McpClient;
  answered = 0;

  constructor(url: URL, name: number, random: () => number) {
    this.#url = url;
    this.#name = name;
    this.#random = random;
    this.#client = new McpClient(url);
  }

  async run(): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      if (this.#client.session === '') await this.#begin();
      const action = ACTIONS[Math.floor(this.#random() * ACTIONS.length)] ?? 'asks';
      try {
        if (action === 'leaves') await this.#leave(round);
        else if (action === 'resumes') await this.#resume(round);
        else await this.#ask(round, action === 'kills' && this.#random() < 0.5 ? 'dies' : 'echo');
      } catch (error) {
        // Connection errors are expected here. A wrong message is a failure.
        if (error instanceof Error && error.name === 'AssertionError') throw error;
      }
    }
  }

  /** Makes a call that must get a response, because no fault occurs any more. */
  async calm(): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      if (this.#client.session === '') await this.#begin();
      const before = this.answered;
      await this.#ask(900 + tries, 'echo');
      if (this.answered > before) return;
    }
    expect.fail(`client ${this.#name} is served no more`);
  }

  async #begin(): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1) {
      const begun = await new McpClient(this.#url).post(initialize()).catch(() => undefined);
      const session = begun?.headers['mcp-session-id'];
      if (typeof session === 'string') {
        this.#client = new McpClient(this.#url, session);
        return;
      }
      await pass(20);
    }
    expect.fail(`client ${this.#name} cannot begin`);
  }

  /** Returns a call. All clients use the same ids; the argument differs in each call. */
  #call(round: number, name: string, hasProgress: boolean): object {
    const meta = hasProgress ? { _meta: { progressToken: 'the-same' } } : {};
    return {
      id: round,
      method: 'tools/call',
      params: { name, arguments: { own: `${this.#name}/${round}` }, ...meta },
    };
  }

  async #ask(round: number, name: string): Promise<void> {
    const answer = await this.#client.post(this.#call(round, name, this.#random() < 0.5));
    if (answer.status === 404) this.#client = new McpClient(this.#url);
    const events = answer.text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []));
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every form
    const messages: any[] =
      answer.json === undefined ? events.map((text) => JSON.parse(text)) : [answer.json];
    this.#count(messages, round);
  }

  async #leave(round: number): Promise<void> {
    const stream = await this.#client.stream(this.#call(round, 'echo', true));
    stream.leave();
    this.#count(stream.messages, round);
  }

  async #resume(round: number): Promise<void> {
    const stream = await this.#client.stream(this.#call(round, 'echo', true));
    await this.#until(stream, () => stream.all.length > 0);
    stream.leave();
    const heard = [...stream.messages];
    const last = stream.all.at(-1)?.id;
    if (last === undefined) return this.#count(heard, round);
    const resumed = await this.#client.listen({ 'Last-Event-ID': last });
    await this.#until(resumed, () => resumed.messages.some(({ id }) => id === round));
    resumed.leave();
    this.#count([...heard, ...resumed.messages], round);
  }

  /** Waits until the check holds, the stream ends, or 500 ms have passed. */
  async #until(stream: Events, check: () => boolean): Promise<void> {
    const end = performance.now() + 500;
    while (!check() && !stream.isOver && !stream.isBroken && performance.now() < end) await pass(2);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  #count(messages: readonly any[], round: number): void {
    const ends = messages.filter(({ id, method }) => id !== undefined && method === undefined);
    expect(ends.length, `answers to ${this.#name}/${round}`).to.be.at.most(1);
    for (const { id, result } of ends) {
      expect(id).to.equal(round);
      if (result === undefined) continue;
      expect(result).to.deep.equal({ own: `${this.#name}/${round}` });
      this.answered += 1;
    }
  }
}

import { eventually, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { MODERN, ModernClient } from '../support/modern-client.ts';
import { modernScript } from '../support/modern-script.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type ScriptedServer, ScriptedServers, type SentMessage } from '../support/scripted-server.ts';

/** Far shorter than the round trips of `passTime`. */
const PROBE_MS = 1;
const LIST = { method: 'tools/list' };

type Sessions = 'own' | 'shared';

/** Holds what a server receives until the test says that the server has loaded its program. */
class SlowServers {
  readonly servers: ScriptedServers;
  readonly #held: [SentMessage, ScriptedServer][] = [];
  #isReady = false;

  constructor(received: (message: SentMessage, server: ScriptedServer) => void) {
    this.servers = new ScriptedServers({
      received: (message, server) => {
        if (this.#isReady) received(message, server);
        else this.#held.push([message, server]);
      },
    });
    this.#received = received;
  }

  readonly #received: (message: SentMessage, server: ScriptedServer) => void;

  /** Makes all processes respond, also those that start later. */
  load(): void {
    this.#isReady = true;
    for (const [message, server] of this.#held.splice(0)) this.#received(message, server);
  }

  /** Lets the processes that run now respond; later ones are slow again. */
  respond(): void {
    for (const [message, server] of this.#held.splice(0)) this.#received(message, server);
  }

  async got(method: string): Promise<void> {
    await eventually(() =>
      expect(this.servers.all.some(({ sent }) => sent.some((message) => message.method === method))).to.equal(
        true,
      ),
    );
  }

  /** Number of probes that processes have received. */
  get probes(): number {
    return this.servers.all.flatMap(({ sent }) => sent).filter(({ method }) => method === 'server/discover')
      .length;
  }
}

describe('bridge with a server that starts slowly (world F6)', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function open(
    received: (message: SentMessage, server: ScriptedServer) => void,
    sessions: Sessions,
    options: TestProxyOptions = {},
  ) {
    const slow = new SlowServers(received);
    const limits = { probeMs: PROBE_MS, ...options.limits };
    const { url, origin, proxy } = await proxies.open(slow.servers.backend({ sessions }), {
      ...options,
      limits,
    });
    return { slow, url, origin, proxy, client: new ModernClient(url) };
  }

  /** Takes several times as long as PROBE_MS. */
  async function passTime(origin: string): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await send(new URL('/health', origin));
  }

  const modern = modernScript();
  const serveModern = (message: SentMessage, server: ScriptedServer): void =>
    modern.received?.(message, server);
  /** Handles messages as a Legacy server that ignores unknown methods. */
  const serveLegacy = (message: SentMessage, server: ScriptedServer): void => {
    if (message.method === 'initialize') server.greet(message);
  };
  /** Handles messages as `serveLegacy` does, and also responds to a probe. */
  const serveBoth = (message: SentMessage, server: ScriptedServer): void => {
    if (message.method === 'initialize') server.greet(message);
    else serveModern(message, server);
  };

  for (const sessions of ['own', 'shared'] as const) {
    describe(`with ${sessions} processes`, () => {
      it('serves the first request after a late response to a single probe', async () => {
        const { slow, client, origin } = await open(serveModern, sessions);
        const discovered = client.post({ id: 1, method: 'server/discover' });
        const listed = client.post({ id: 2, ...LIST });
        await slow.got('server/discover');
        await passTime(origin);
        slow.load();
        expect((await discovered).json.result.supportedVersions).to.deep.equal([MODERN]);
        expect((await listed).status).to.equal(200);
        expect(slow.probes).to.equal(2); // one from the proxy and one from the client
      });

      it('serves requests of both kinds of clients that arrive during the start', async () => {
        const { slow, client, url, origin } = await open(serveModern, sessions);
        const refused = new McpClient(url).post(initialize());
        await slow.got('initialize');
        const listed = client.post(LIST);
        await passTime(origin);
        slow.load();
        expect((await listed).status).to.equal(200);
        expect((await refused).json.error.code).to.equal(-32022);
      });

      it('waits for the probe after the server refused initialize with a list of revisions without a handshake', async () => {
        const { slow, client, url, origin } = await open(serveModern, sessions);
        const refused = new McpClient(url).post(initialize());
        await slow.got('initialize');
        slow.respond();
        expect((await refused).status).to.equal(400);
        const listed = client.post(LIST);
        await slow.got('server/discover');
        await passTime(origin);
        slow.load();
        expect((await listed).status).to.equal(200);
      });

      it('treats a silent server as one with a handshake once a process has responded to initialize', async () => {
        const { slow, client, url } = await open(serveLegacy, sessions);
        const opening = McpClient.connect(url);
        await slow.got('initialize');
        const refused = client.post({ id: 3, ...LIST });
        slow.load();
        expect((await opening).session).to.not.equal('');
        expect([(await refused).status, (await refused).json.error.code]).to.deep.equal([400, -32600]);
      });

      it('responds with 504 after the start timeout, and tries again on the next request', async () => {
        const { slow, client } = await open(serveModern, sessions, { limits: { startTimeoutMs: 30 } });
        const failed = await client.post({ id: 4, ...LIST });
        expect([failed.status, failed.json.id, failed.json.error.data.reason]).to.deep.equal([
          504,
          4,
          'timeout',
        ]);
        slow.load();
        await eventually(async () => expect((await client.post(LIST)).status).to.equal(200));
      });
    });
  }

  it('extends the probe timeout by the duration of the first initialize', async () => {
    const clock = new FakeClock();
    const { slow, client, url, origin } = await open(serveBoth, 'own', { nowMs: clock.nowMs });
    const opening = McpClient.connect(url);
    await slow.got('initialize');
    clock.advance(20_000);
    slow.respond();
    await opening;
    const listed = client.post(LIST);
    await slow.got('server/discover');
    await passTime(origin);
    slow.load();
    expect((await listed).status).to.equal(200);
  });

  describe('with only one process', () => {
    it('gives the process to a waiting client with a handshake', async () => {
      const { slow, client, url, origin } = await open(serveLegacy, 'shared');
      const refused = client.post(LIST);
      await slow.got('server/discover');
      await passTime(origin);
      const opening = McpClient.connect(url);
      await slow.got('initialize');
      slow.load();
      expect((await opening).session).to.not.equal('');
      expect((await refused).json.error.code).to.equal(-32600);
    });

    it('probes again when the server refuses the initialize that came first', async () => {
      const { slow, client, url, origin } = await open(serveModern, 'shared');
      const listed = client.post(LIST);
      await slow.got('server/discover');
      const refused = new McpClient(url).post(initialize());
      await passTime(origin);
      await slow.got('initialize');
      slow.load();
      expect((await refused).json.error.code).to.equal(-32022);
      expect((await listed).status).to.equal(200);
      expect(slow.servers.all.filter(({ isClosed }) => !isClosed)).to.have.length(1);
    });
  });
});

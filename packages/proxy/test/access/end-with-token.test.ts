import type { AuthProvider, ServerBackend } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { Events, open as openRequest } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { ModernClient, SUBSCRIPTION } from '../support/modern-client.ts';
import { modernScript } from '../support/modern-script.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak } from '../support/spoken-to.ts';

describe('event stream of an authenticated client (F06)', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  /**
   * Returns an auth provider that accepts every caller. The token expires at `endsMs`; the proxy's clock is
   * fixed.
   */
  const until = (endsMs: number): AuthProvider => ({
    verify: (_ctx, next) => next(),
    identify: () => ({ subject: 'ada', claims: { iss: 'i', sub: 'ada', exp: endsMs / 1000 } }),
  });
  const clock = (): Date => new Date(1_000_000);

  async function openStream(backend: ServerBackend, endsMs: number): Promise<Events> {
    const { url } = await proxies.open(backend, { authProvider: until(endsMs), clock });
    const headers = { Accept: 'text/event-stream' };
    if (backend.carries === 'http') return new Events(await openRequest(url, { headers }));
    const begun = await new McpClient(url).post(initialize());
    const session = String(begun.headers['mcp-session-id']);
    return new Events(await openRequest(url, { headers: { ...headers, 'Mcp-Session-Id': session } }));
  }
  const stdio: ServerBackend = new ScriptedServers({ received: speak }).backend();

  it('ends when the token expires, with a stdio server', async () => {
    const stream = await openStream(stdio, 1_000_300);
    await eventually(() => expect(stream.isOver || stream.isBroken).to.equal(true));
  });

  it('ends when the token expires, with an HTTP server, and also closes the stream of the server', async () => {
    const backend = await HttpBackendUnderTest.start((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': open\n\n');
    });
    backends.push(backend);
    const transport = 'streamable-http';
    const stream = await openStream(
      { carries: 'http', transport, target: backend.url, isRemote: false },
      1_000_300,
    );
    await eventually(() => expect(stream.isOver || stream.isBroken).to.equal(true));
    await eventually(() => expect(backend.open).to.equal(0));
  });

  it('does not start when the token of a subscription without a handshake has already expired', async () => {
    const script = modernScript({
      received: ({ id }, server) => {
        const params = { _meta: { [SUBSCRIPTION]: id } };
        server.say({ method: 'notifications/subscriptions/acknowledged', params });
      },
    });
    const backend: ServerBackend = { ...stdio, openConnection: new ScriptedServers(script).open };
    // The token expires before the stream begins.
    const { url } = await proxies.open(backend, { authProvider: until(1_000_000), clock });
    const params = { notifications: { toolsListChanged: true } };
    const stream = await new ModernClient(url).stream({ method: 'subscriptions/listen', params });
    await eventually(() => expect(stream.isOver || stream.isBroken).to.equal(true));
  });

  it('stays open when the token expires later than the longest timer', async () => {
    const stream = await openStream(stdio, 1_000_000 + 2 ** 40);
    const shorter = await openStream(stdio, 1_000_300);
    await eventually(() => expect(shorter.isOver || shorter.isBroken).to.equal(true));
    expect(stream.isOver || stream.isBroken).to.equal(false);
    stream.leave();
  });
});

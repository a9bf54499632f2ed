import { expect } from 'chai';
import { legacyScript } from '../support/era-servers.ts';
import { send } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { modernScript } from '../support/modern-script.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { type Script, ScriptedServers } from '../support/scripted-server.ts';
import { TestRestarts } from '../support/test-restarts.ts';

const CALL = { method: 'tools/call', params: { name: 'x' } };

const exitAtCall: Script['received'] = ({ method }, server) => {
  if (method === 'tools/call') server.exit();
};

describe('translation between revisions when the server exits during a call', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  for (const sessions of ['own', 'shared'] as const) {
    for (const [era, script] of [
      ['Legacy', legacyScript(exitAtCall)],
      ['Modern', modernScript({ received: exitAtCall })],
    ] as const) {
      async function open(): Promise<URL> {
        const servers = new ScriptedServers(script);
        return (await proxies.open({ ...servers.backend({ sessions }), translatesEras: true })).url;
      }

      it(`responds to a Modern client with 502 when a ${era} server has ${sessions} processes`, async () => {
        const client = new ModernClient(await open());
        const { status, text } = await client.post({ ...CALL, id: 'call' });
        expect(status).to.equal(502);
        expect(JSON.parse(text)).to.deep.include({ id: 'call' });
        expect(JSON.parse(text).error.data.reason).to.equal('server_exited');
        const again = await client.post({ method: 'tools/list' });
        expect(again.status, again.text).to.equal(200);
      });

      it(`responds to a Legacy client with 502 when a ${era} server has ${sessions} processes`, async () => {
        const url = await open();
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
        const post = (message: object, more: Record<string, string> = {}) =>
          send(url, {
            method: 'POST',
            headers: { ...headers, ...more },
            body: JSON.stringify({ jsonrpc: '2.0', ...message }),
          });
        const greet = async (): Promise<Record<string, string>> => {
          const clientInfo = { name: 'test', version: '1' };
          const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
          const greeted = await post({ id: 1, method: 'initialize', params });
          expect(greeted.status, greeted.text).to.equal(200);
          return { 'Mcp-Session-Id': String(greeted.headers['mcp-session-id']) };
        };
        const session = await greet();
        await post({ method: 'notifications/initialized' }, session);
        const { status, text } = await post({ id: 'call', ...CALL }, session);
        expect(status).to.equal(502);
        expect(JSON.parse(text).error.data.reason).to.equal('server_exited');
        expect((await post({ id: 2, method: 'tools/list' }, session)).status).to.equal(404);
        const other = await greet();
        expect((await post({ id: 3, method: 'tools/list' }, other)).status).to.equal(200);
      });
    }
  }

  it('inner session › waits for a growing delay when each process exits during its call', async () => {
    const servers = new ScriptedServers(legacyScript(exitAtCall));
    const restarts = new TestRestarts({ firstDelayMs: 100 });
    const backend = { ...servers.backend({ sessions: 'own' }), translatesEras: true };
    const client = new ModernClient((await proxies.open(backend, { restarts })).url);
    const took: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      const startedMs = performance.now();
      expect((await client.post({ ...CALL, id: `call-${call}` })).status).to.equal(502);
      took.push(performance.now() - startedMs);
    }
    expect(took[1]).to.be.above(95);
    expect(took[2]).to.be.above(195);
    expect(took[3]).to.be.above(395);
    expect(restarts.delayMs).to.equal(800);
  });

  it('inner session › starts without a delay when a call has succeeded since the last exit', async () => {
    const exitAtBad: Script['received'] = ({ method, id, params }, server) => {
      if (method === 'tools/call' && params?.name === 'bad') server.exit();
      else if (method === 'tools/call') server.say({ id, result: { content: [] } });
    };
    const servers = new ScriptedServers(legacyScript(exitAtBad));
    const restarts = new TestRestarts({ firstDelayMs: 100 });
    const backend = { ...servers.backend({ sessions: 'own' }), translatesEras: true };
    const client = new ModernClient((await proxies.open(backend, { restarts })).url);
    await client.post({ method: 'tools/call', params: { name: 'bad' } });
    expect(restarts.delayMs).to.equal(100);
    expect((await client.post({ method: 'tools/call', params: { name: 'good' } })).status).to.equal(200);
    expect(restarts.delayMs).to.equal(0);
  });
});

import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { everythingBackend } from '../support/everything-backend.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';

/** The functions of an SDK's client that this test uses. */
interface SdkClient {
  call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    progressed: () => void,
  ): Promise<unknown>;
  /** Ends the session with DELETE and closes the client. */
  end(): Promise<void>;
}

async function connectV1(url: URL, failed: (error: Error) => void): Promise<SdkClient> {
  const client = new Client({ name: 'c', version: '1' });
  const transport = new StreamableHTTPClientTransport(url);
  Object.assign(client, { onerror: failed });
  await client.connect(transport);
  return {
    call: (name, args, signal, onprogress) =>
      client.callTool({ name, arguments: args }, CallToolResultSchema, { signal, onprogress }),
    end: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

async function connectV2(url: URL, failed: (error: Error) => void): Promise<SdkClient> {
  const client = new NewClient({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const transport = new NewTransport(url);
  Object.assign(client, { onerror: failed });
  await client.connect(transport);
  return {
    call: (name, args, signal, onprogress) =>
      client.callTool({ name, arguments: args }, { signal, onprogress }),
    end: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

describe('request that an SDK client cancels (world F5)', function () {
  this.timeout(60_000);
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  for (const { title, connect } of [
    { title: 'TypeScript SDK v1', connect: connectV1 },
    { title: 'TypeScript SDK v2', connect: connectV2 },
  ]) {
    describe(title, () => {
      for (const withProgress of [false, true]) {
        it(`causes no error in the client when the server sends no response, ${withProgress ? 'after' : 'without'} progress`, async () => {
          const servers = new ScriptedServers();
          const { url, proxy } = await proxies.open(servers.backend());
          const errors: Error[] = [];
          const client = await connect(url, (error) => errors.push(error));
          const abort = new AbortController();
          const progress: unknown[] = [];
          const call = client.call('a', {}, abort.signal, () => progress.push(1));
          const [server] = servers.greeted;
          const message = await server?.got('tools/call');
          if (withProgress) {
            // The proxy uses the id as progress token.
            server?.say({
              method: 'notifications/progress',
              params: { progressToken: message?.id, progress: 1 },
            });
            await eventually(() => expect(progress).to.have.length(1));
          }
          abort.abort('no longer needed');
          expect(await call.catch(() => 'aborted')).to.equal('aborted');
          await server?.got('notifications/cancelled');
          // The response ends before the session does.
          await eventually(() => expect(proxy.stats).to.include({ waiting: 0, sessions: 1 }), {
            withinMs: 10_000,
          });
          await client.end();
          await eventually(() => expect(proxy.stats).to.include({ waiting: 0, sessions: 0 }));
          expect(errors).to.deep.equal([]);
        });
      }

      it('causes no error in the client when the session ends while the server works on the request', async () => {
        const { url, proxy } = await proxies.open(everythingBackend());
        const errors: Error[] = [];
        const client = await connect(url, (error) => errors.push(error));
        const abort = new AbortController();
        const call = client.call(
          'trigger-long-running-operation',
          { duration: 30, steps: 3 },
          abort.signal,
          () => undefined,
        );
        await eventually(() => expect(proxy.stats.waiting).to.equal(1));
        abort.abort('no longer needed');
        expect(await call.catch(() => 'aborted')).to.equal('aborted');
        await client.end();
        await eventually(() => expect(proxy.stats).to.include({ waiting: 0, sessions: 0 }));
        expect(errors).to.deep.equal([]);
      });
    });
  }
});

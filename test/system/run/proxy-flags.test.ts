import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { Events, open } from '../../../packages/proxy/test/support/http-client.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { speakHttp } from '../../../packages/proxy/test/support/spoken-to.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { PolicyBench, urlOf } from '../policy/support/policy-bench.ts';

describe('run flags for the addresses of a workload and its server', function () {
  this.timeout(120_000);

  describe('with a stdio server, over HTTP+SSE', () => {
    let bench: PolicyBench;
    before(async () => {
      bench = await PolicyBench.open();
    });
    after(async () => {
      await bench?.close();
    });

    /** Endpoint that clients behind a reverse proxy receive. */
    async function endpointOf(name: string, ...flags: readonly string[]): Promise<string> {
      const url = await urlOf(await bench.run('stdio', name, '--proxy-mode=sse', ...flags));
      const headers = { Accept: 'text/event-stream', 'X-Forwarded-Prefix': '/outer/sse' };
      const events = new Events(await open(url, { headers }));
      try {
        return await eventually(() => {
          const [endpoint] = events.all.filter(({ event }) => event === 'endpoint');
          if (endpoint === undefined) throw new Error('no endpoint was announced yet');
          return endpoint.data.replace(/\?.*$/, '');
        });
      } finally {
        events.leave();
      }
    }

    for (const { title, name, flags, expected } of [
      { title: 'neither flag', name: 'plain', flags: [], expected: '/messages' },
      {
        title: '--trust-proxy-headers',
        name: 'trusting',
        flags: ['--trust-proxy-headers'],
        expected: '/outer/messages',
      },
      {
        title: '--endpoint-prefix',
        name: 'prefixed',
        flags: ['--endpoint-prefix=/team'],
        expected: '/team/messages',
      },
      {
        title: 'both flags, of which --endpoint-prefix wins',
        name: 'both',
        flags: ['--trust-proxy-headers', '--endpoint-prefix=/team'],
        expected: '/team/messages',
      },
    ])
      it(`clients receive the endpoint ${expected} with ${title}`, async () => {
        expect(await endpointOf(name, ...flags)).to.equal(expected);
      });

    it('--session-ttl ends a stream', async () => {
      const url = await urlOf(
        await bench.run('stdio', 'short-lived', '--proxy-mode=sse', '--session-ttl=100ms'),
      );
      const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
      await events.over();
    });
  });

  describe('with a server that speaks HTTP', () => {
    let user: WorkloadUser;
    let elsewhere: HttpBackendUnderTest;
    before(async function () {
      user = await WorkloadUser.open(this);
      elsewhere = new HttpBackendUnderTest(speakHttp);
      elsewhere.server.listen(0, '127.0.0.2');
      await once(elsewhere.server, 'listening');
    });
    after(async () => {
      await user?.close();
      await elsewhere?.close();
    });

    it('--target-host receives the requests, in place of a port of the container', async () => {
      // SAFETY: a TCP server has a port.
      const { port } = elsewhere.server.address() as AddressInfo;
      const flags = ['--name=elsewhere', '--isolate-network=false', '--transport=streamable-http'];
      const at = ['--target-host=127.0.0.2', `--target-port=${port}`];
      const silent = ['portolan-test/node', '--', 'node', '-e', 'setInterval(() => {}, 60_000)'];
      const client = await McpClient.connect(new URL(await user.run(...flags, ...at, ...silent)));
      const call = { id: 2, method: 'tools/call', params: { name: 'plain', arguments: {} } };
      expect((await client.post(call)).status).to.equal(200);
      expect(elsewhere.received.some(({ body }) => body.includes('"tools/call"'))).to.equal(true);
      await user.done('rm', 'elsewhere');
    });
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ask, httpServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

const SOON = { withinMs: 40_000 };
const CHECKS = {
  PORTOLAN_HEALTH_CHECK_INTERVAL: '100ms',
  PORTOLAN_HEALTH_CHECK_PING_TIMEOUT: '300ms',
  PORTOLAN_HEALTH_CHECK_RETRY_DELAY: '50ms',
  PORTOLAN_HEALTH_CHECK_FAILURE_THRESHOLD: '3',
  PORTOLAN_REMOTE_HEALTHCHECKS: '1',
};

describe('superviseWorkload when health checks fail', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  const checking = () => ({ context: { environment: { ...bench.environment, ...CHECKS } } });

  async function expectStatus(name: string, status: string): Promise<string> {
    return await eventually(async () => {
      const state = await bench.context().store.getState(name);
      expect(state.status, state.statusContext).to.equal(status);
      return state.statusContext;
    }, SOON);
  }

  /** Stops the server process. No test waits for a response. */
  function stall(url: string, method: string, params: object = {}): void {
    ask(url, method, params).catch(() => undefined);
  }

  for (const isolate_network of [true, false]) {
    it(`restarts a server that hangs, ${isolate_network ? 'in' : 'without'} a network of its own`, async () => {
      const config = await bench.config({ ...httpServer(), isolate_network });
      const workload = await bench.supervise(config, checking());
      const { url } = await workload.ready;
      const before = await ask(url, 'where');
      const { containerId } = await bench.context().store.getState(config.name);
      stall(url, 'half');
      await eventually(async () => {
        const state = await bench.context().store.getState(config.name);
        expect(state).to.include({ status: 'running' }).and.not.to.include({ containerId });
      }, SOON);
      expect(await ask(url, 'where'))
        .to.have.property('host')
        .and.not.to.equal(before);
      expect(await bench.containers(config.name)).to.have.length(isolate_network ? 2 : 1);
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }

  it('reports a server in the foreground as unhealthy, and as healthy when it recovers', async () => {
    const config = await bench.config(httpServer());
    const workload = await bench.supervise(config, { ...checking(), order: { foreground: true } });
    const { url } = await workload.ready;
    stall(url, 'pause', { ms: 4000 });
    expect(await expectStatus(config.name, 'unhealthy')).to.equal('Health check failed');
    expect(await expectStatus(config.name, 'running')).to.equal('');
    await workload.stop();
  });

  describe('for a remote server', () => {
    let status = 200;
    const remote = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 'portolan-ready', result: {} }));
    });
    let fields = { image: '', transport: 'streamable-http', remote_url: '' };
    before(async () => {
      remote.listen(0, '127.0.0.1');
      await once(remote, 'listening');
      const address = remote.address();
      const port = typeof address === 'object' ? address?.port : 0;
      fields = { ...fields, remote_url: `http://127.0.0.1:${port}/mcp` };
    });
    after(() => remote.close());

    it('reports it as unhealthy, and as healthy when it recovers', async () => {
      const config = await bench.config(fields);
      const workload = await bench.supervise(config, checking());
      await workload.ready;
      await expectStatus(config.name, 'running');
      status = 500;
      expect(await expectStatus(config.name, 'unhealthy')).to.equal('Health check failed');
      status = 200;
      expect(await expectStatus(config.name, 'running')).to.equal('');
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
    });

    for (const { title, headers, why } of [
      { title: 'without credentials', headers: {}, why: /requires credentials/ },
      {
        title: 'whose credentials are refused',
        headers: { Authorization: 'Bearer old' },
        why: /^Bearer token/,
      },
    ]) {
      it(`reports a workload ${title} as unauthenticated from the start until the remote accepts it`, async () => {
        status = 401;
        const config = await bench.config(fields);
        const workload = await bench.supervise(config, { order: { headers } });
        const { url } = await workload.ready;
        expect(await expectStatus(config.name, 'unauthenticated')).to.match(why);
        status = 200;
        await ask(url, 'tools/list');
        expect(await expectStatus(config.name, 'running')).to.equal('');
        status = 401;
        await ask(url, 'tools/list');
        expect(await expectStatus(config.name, 'unauthenticated')).to.match(why);
        status = 200;
        expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
        expect(await bench.statusOf(config.name)).to.equal('stopped');
      });
    }
  });
});

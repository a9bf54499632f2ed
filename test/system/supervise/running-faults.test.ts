import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ContainerExit } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { choosePort, type WorkloadContext } from '@portolan/workload';
import { expect } from 'chai';
import { killContainer } from '../../../plugins/runtime-docker/test/support/engine-by-hand.ts';
import { ask, httpServer, openSession, stdioServer } from './support/mini-servers.ts';
import { useWorkloadBench } from './support/workload-bench.ts';

const SOON = { withinMs: 40_000 };

describe('superviseWorkload during a run', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  async function roles(name: string): Promise<Readonly<Record<string, string>>> {
    const found = await bench.runtime.listContainers({ 'portolan.dev/name': name });
    return Object.fromEntries(found.map(({ id, labels }) => [labels['portolan.dev/role'] ?? '', id]));
  }

  it('restarts an HTTP server that crashes, and calls the hook of plugins', async () => {
    const exits: ContainerExit[] = [];
    const hooks: WorkloadContext['hooks'] = {
      containerStart: (spec, { harden }) => Promise.resolve(harden(spec)),
      containerExit: (exit) => {
        exits.push(exit);
        return Promise.resolve();
      },
    };
    for (const isolate_network of [true, false]) {
      exits.length = 0;
      const config = await bench.config({ ...httpServer(), isolate_network });
      const workload = await bench.supervise(config, { context: { hooks } });
      const { url } = await workload.ready;
      const before = await roles(config.name);
      await ask(url, 'exit', { code: 5 });
      await eventually(async () => expect(await bench.statusOf(config.name)).to.equal('unhealthy'), SOON);
      await eventually(async () => expect(await bench.statusOf(config.name)).to.equal('running'), SOON);
      expect(await ask(url, 'tools/list')).to.deep.equal({ tools: [] });
      const after = await roles(config.name);
      expect(after['server']).not.to.equal(before['server']);
      expect(after['gateway']).to.equal(before['gateway']);
      expect(exits).to.deep.equal([{ name: config.name, exitCode: 5 }]);
      await workload.stop();
      expect(exits).to.have.length(2);
      expect(await bench.containers(config.name)).to.deep.equal([]);
    }
  });

  it('restarts a shared stdio server that crashes', async () => {
    const config = await bench.config({ ...stdioServer(), stdio_sessions: 'shared' });
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    const session = await openSession(url);
    await ask(url, 'exit', { code: 5 }, session);
    await eventually(async () => {
      const again = await openSession(url);
      expect(await ask(url, 'tools/list', {}, again)).to.deep.equal({ tools: [] });
    }, SOON);
    await eventually(async () => expect(await bench.statusOf(config.name)).to.equal('running'), SOON);
    await workload.stop();
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  it('loses only the session whose process crashes', async () => {
    const config = await bench.config(stdioServer());
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    const [one, other] = [await openSession(url), await openSession(url)];
    await ask(url, 'exit', { code: 1 }, one);
    expect(await ask(url, 'tools/list', {}, one)).to.equal(404);
    expect(await ask(url, 'tools/list', {}, other)).to.deep.equal({ tools: [] });
    expect(await bench.statusOf(config.name)).to.equal('running');
    await workload.stop();
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  it('gives up on a server that keeps exiting, and reports it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-data-'));
    try {
      const onlyOnce =
        'if (require("fs").existsSync("/data/was")) process.exit(9); require("fs").writeFileSync("/data/was", "");';
      const config = await bench.config({
        ...httpServer(onlyOnce),
        permission_profile: { write: [`${folder}:/data`], network: { outbound: {} } },
      });
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      await ask(url, 'exit', { code: 9 });
      const end = await workload.ended;
      if (end.how !== 'failed') throw new Error(`it ended as ${end.how}`);
      expect(end.error.code).to.equal('ERR_RESTARTS_EXHAUSTED');
      expect(end.error.message).to.contain('container restart failed').and.to.contain('exit status 9');
      expect(await bench.statusOf(config.name)).to.equal('error');
      expect(await bench.containers(config.name)).to.deep.equal([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('reports a server that ran out of memory', async () => {
    const config = await bench.config(httpServer());
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    await ask(url, 'hog');
    // Its state says the same until the server runs again.
    await eventually(() => {
      const ends = bench.logger.lines.filter(({ message }) => message === 'server ended');
      expect(JSON.stringify(ends)).to.contain(config.name).and.to.contain('it ran out of memory');
    }, SOON);
    await workload.stop();
  });

  for (const { title, fields } of [
    { title: 'a server that speaks HTTP', fields: httpServer() },
    { title: 'a shared server', fields: { ...stdioServer(), stdio_sessions: 'shared' } },
  ]) {
    it(`stops a workload and keeps its run config when the container of ${title} is removed outside of Portolan`, async () => {
      const config = await bench.config(fields);
      const workload = await bench.supervise(config);
      await workload.ready;
      const before = await bench.context().store.find(config.name);
      const { server = '' } = await roles(config.name);
      await bench.runtime.removeContainer(server);
      expect(await workload.ended).to.deep.equal({ how: 'removed', what: 'container' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
      const stored = await bench.context().store.find(config.name);
      expect(stored?.config).to.deep.equal(before?.config);
      expect(stored?.state).to.include({ status: 'stopped', wanted: true });
      expect(stored?.state?.statusContext).to.contain('its container was removed by another program');
      expect(await bench.runtimeFiles()).to.deep.equal([]);
      const again = bench.superviseAgain(config);
      const { url } = await again.ready;
      const session = config.transport === 'stdio' ? await openSession(url) : '';
      expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
      await again.stop();
      expect(await bench.statusOf(config.name)).to.equal('stopped');
    });
  }

  for (const { title, fields, answers } of [
    { title: 'a server that speaks HTTP', fields: httpServer(), answers: () => Promise.resolve('') },
    { title: 'a process for each session', fields: stdioServer(), answers: openSession },
  ]) {
    it(`reopens the network when its gateway ends, with ${title}`, async () => {
      const config = await bench.config(fields);
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      const { gateway = '' } = await roles(config.name);
      await killContainer(bench.runtime, gateway);
      await eventually(async () => {
        const now = await roles(config.name);
        expect(now['gateway']).to.be.a('string').and.not.to.equal(gateway);
        const session = await answers(url);
        expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
        const containers = await bench.runtime.listContainers({ 'portolan.dev/name': config.name });
        expect(containers.every(({ state }) => state.running)).to.equal(true);
      }, SOON);
      await workload.stop();
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }

  it('keeps other sessions when the network of one ends', async () => {
    const config = await bench.config(stdioServer());
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    const sessions = await Promise.all(Array.from({ length: 5 }, () => openSession(url)));
    const networks = async (): Promise<readonly string[]> => {
      const containers = await bench.runtime.listContainers({ 'portolan.dev/name': config.name });
      return containers.flatMap(({ id, labels }) => (labels['portolan.dev/role'] === 'gateway' ? [id] : []));
    };
    const all = async (): Promise<readonly unknown[]> =>
      await Promise.all(sessions.map((session) => ask(url, 'tools/list', {}, session)));
    await eventually(async () => expect(await networks()).to.have.length(6), SOON);
    const [first = '', ...others] = (await networks()).toSorted();
    await killContainer(bench.runtime, first);
    // The process is the spare one or one of the five.
    await eventually(async () => {
      const lost = (await all()).filter((answer) => answer === 404);
      expect(lost).to.have.length.at.most(1);
      const now = await networks();
      expect(now).to.include.members(others).and.not.to.include(first);
    }, SOON);
    const next = await openSession(url);
    expect(await ask(url, 'tools/list', {}, next)).to.deep.equal({ tools: [] });
    expect(await bench.statusOf(config.name)).to.equal('running');
    await workload.stop();
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });

  it('survives a server that floods its log, within a limit of disk space', async () => {
    const config = await bench.config(httpServer());
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    await ask(url, 'flood');
    await eventually(async () => {
      expect((await bench.readLog(config.name, 'server')).length).to.be.greaterThan(1_000_000);
    }, SOON);
    expect(await ask(url, 'tools/list')).to.deep.equal({ tools: [] });
    // The file is missing for a moment while it is renamed.
    const log = await eventually(() => bench.readLog(config.name, 'server'));
    expect(log.length).to.be.lessThan(10_000_000);
    await workload.stop();
  });

  it('logs refused connections', async () => {
    const asks = 'require("dns").lookup("unknown.acme.example", () => undefined);';
    const config = await bench.config(httpServer(asks));
    const workload = await bench.supervise(config);
    await workload.ready;
    const event = await eventually(async () => {
      const [line = ''] = (await bench.readLog(config.name, 'network')).split('\n');
      return JSON.parse(line) as object;
    }, SOON);
    expect(event).to.include({ workload: config.name, host: 'unknown.acme.example', allowed: false });
    expect(event).to.have.property('time');
    await workload.stop();
  });

  for (const { title, fields } of [
    { title: 'a server that speaks HTTP', fields: httpServer() },
    { title: 'a shared server', fields: { ...stdioServer(), stdio_sessions: 'shared' } },
  ]) {
    it(`exits in the foreground with the status of ${title}`, async () => {
      const config = await bench.config(fields);
      const workload = await bench.supervise(config, { order: { foreground: true } });
      const { url } = await workload.ready;
      const session = config.transport === 'stdio' ? await openSession(url) : '';
      await ask(url, 'exit', { code: 7 }, session);
      expect(await workload.ended).to.deep.equal({ how: 'exited', exitCode: 7 });
      expect(await bench.containers(config.name)).to.deep.equal([]);
      expect(await bench.statusOf(config.name)).to.equal('stopped');
    });
  }

  it('publishes ports of an isolated workload on the host', async () => {
    const hostPort = await choosePort({ host: '127.0.0.1', reserved: new Set() });
    const listens = 'require("net").createServer((s) => s.end("ahoy")).listen(7000, "127.0.0.1");';
    const config = await bench.config({ ...stdioServer(listens), publish: [`${hostPort}:7000`] });
    const workload = await bench.supervise(config);
    await workload.ready;
    const socket = createConnection(hostPort, '127.0.0.1');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(bytes.toString()).to.equal('ahoy');
    await workload.stop();
  });

  it('passes secrets to the server and to nothing else', async () => {
    const says = 'console.error("key of " + (process.env.API_KEY || "").length + " characters");';
    const config = await bench.config(stdioServer(says));
    const workload = await bench.supervise(config, { order: { secrets: { API_KEY: 'hidden-value-1234' } } });
    await workload.ready;
    await eventually(async () => {
      expect(await bench.readLog(config.name, 'server')).to.contain('key of 17 characters');
    });
    await workload.stop();
    expect(JSON.stringify(bench.logger.lines)).not.to.contain('hidden-value-1234');
  });
});

describe('superviseWorkload with a remote server', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();
  const seen: IncomingHttpHeaders[] = [];
  let status = 200;
  const remote = createServer((request, response) => {
    seen.push(request.headers);
    request.resume();
    response.writeHead(status, { 'Content-Type': 'application/json' });
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'r', version: '1' },
    };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 'portolan-ready', result }));
  });
  let remoteUrl = '';
  before(async () => {
    remote.listen(0, '127.0.0.1');
    await once(remote, 'listening');
    const address = remote.address();
    remoteUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/tools/mcp`;
  });
  after(() => remote.close());

  it('forwards requests with the given headers, and starts no container', async () => {
    const config = await bench.config({
      image: '',
      remote_url: remoteUrl,
      transport: 'streamable-http',
      header_forward: { add_plaintext_headers: { 'X-Tenant': 'acme' }, add_headers_from_secret: {} },
    });
    const workload = await bench.supervise(config, {
      order: { headers: { Authorization: 'Bearer hidden' } },
    });
    const { url } = await workload.ready;
    expect(url).to.equal(`http://127.0.0.1:${config.port}/tools/mcp`);
    expect(seen.at(-1)).to.include({ 'x-tenant': 'acme', authorization: 'Bearer hidden' });
    expect(await bench.containers(config.name)).to.deep.equal([]);
    expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
  });

  it('counts a remote server that requires credentials as ready', async () => {
    status = 401;
    const workload = await bench.supervise(
      await bench.config({ image: '', remote_url: remoteUrl, transport: 'streamable-http' }),
    );
    await workload.ready;
    await workload.stop();
  });
});

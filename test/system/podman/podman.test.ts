import { connect, createServer, type Server } from 'node:net';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createTestContext, engineOf, eventually } from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { expect } from 'chai';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { ask, httpServer, openSession, stdioServer } from '../supervise/support/mini-servers.ts';
import { PodmanService } from './support/podman-service.ts';

const NODE_IMAGE = 'portolan-test/node';
const DOCKER = { memoryMegabytes: 256, cpus: 2, processes: 64, openFiles: 1024, stopGrace: '10s' };
const SOON = { withinMs: 20_000 };

const OVER_STDIO = ['--', ...(stdioServer().cmd_args ?? [])];
const OVER_HTTP = ['--transport=streamable-http', '--', ...(httpServer().cmd_args ?? [])];
const SHARED = ['--stdio-sessions=shared', ...OVER_STDIO];

describe('workloads on a real Podman', function () {
  this.timeout(120_000);
  let podman: PodmanService;
  let image: string;
  /** Address of this machine's Podman. */
  let user: WorkloadUser;
  /**
   * Runtime that treats the same Podman as remote, like one in a virtual machine: no folder is shared with
   * it.
   */
  let farUser: WorkloadUser;
  let link: Server;
  let names = 0;

  before(async function () {
    podman = await PodmanService.start(this, NODE_IMAGE);
    image = await podman.take(NODE_IMAGE, 'podman');
    const address = `unix://${podman.socket}`;
    // Address of Podman as its users write it. The other one is written as for Docker.
    user = await userAt(address, { PORTOLAN_RUNTIME: 'podman', CONTAINER_HOST: address });
    link = createServer((client) => {
      const engine = connect({ path: podman.socket, allowHalfOpen: true });
      for (const socket of [client, engine])
        socket.on('error', () => [client, engine].map((one) => one.destroy()));
      client.pipe(engine).pipe(client);
    });
    farUser = await userAt(`tcp://127.0.0.1:${await listenOnLoopback(link)}`);
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const one of [user, farUser]) await one.removeLeft();
  });
  after(async () => {
    await user?.close();
    await farUser?.close();
    link?.close();
    await podman?.close();
  });

  const run = async (
    who: WorkloadUser,
    ...words: readonly string[]
  ): Promise<{ name: string; url: string }> => {
    names += 1;
    const name = `podman-${names}`;
    const known = ['--image-verification=disabled', '--permission-profile=none', `--name=${name}`];
    return { name, url: await who.run(image, ...known, ...words) };
  };

  const containersOf = async (name: string, role: string): Promise<readonly string[]> => {
    const filters = [`name=${name}`, `role=${role}`].map((one) => `--filter=label=portolan.dev/${one}`);
    const ids = await podman.command('ps', '--all', '--quiet', ...filters);
    return ids.split('\n').filter((id) => id !== '');
  };

  const containerOf = async (name: string, role: string): Promise<string> =>
    await eventually(async () => {
      const [id = '', ...more] = await containersOf(name, role);
      expect([id === '', more], `${role} of ${name}`).to.deep.equal([false, []]);
      return id;
    }, SOON);

  // Expects the gateways: besides the open session of a stdio server, the process for the next session has
  // one.
  const expectGateway = async (name: string): Promise<void> => {
    expect(await containersOf(name, 'gateway'), `gateways of ${name}`).to.have.lengthOf.within(1, 2);
  };

  for (const { title, words } of [
    { title: 'a stdio server', words: OVER_STDIO },
    { title: 'a shared stdio server', words: SHARED },
    { title: 'a server that speaks HTTP', words: OVER_HTTP },
  ]) {
    it(`serve with ${title} in an isolated network, and rm leaves nothing`, async () => {
      const { name, url } = await run(user, ...words);
      await expectServed(url);
      await expectGateway(name);
      await user.removeAll(name);
    });

    it(`serve with ${title} through a gateway whose sockets cannot be shared`, async () => {
      const { name, url } = await run(farUser, ...words);
      await expectServed(url);
      await expectGateway(name);
      await farUser.removeAll(name);
    });
  }

  for (const { title, words } of [
    { title: 'a shared stdio server', words: SHARED },
    { title: 'a server that speaks HTTP', words: OVER_HTTP },
  ]) {
    it(`are stopped and keep their settings when the container of ${title} is removed outside of Portolan`, async () => {
      const { name, url } = await run(user, ...words);
      await podman.command('rm', '--force', '--time=1', await containerOf(name, 'server'));
      await eventually(async () => {
        const [listed] = await user.list();
        expect(listed).to.include({ name, status: 'stopped' });
        expect(listed?.['status_context']).to.contain('its container was removed by another program');
      }, SOON);
      expect(await user.done('start', name)).to.equal(`${url}\n`);
      await expectServed(url);
      await user.removeAll(name);
    });
  }

  it('keep data in an engine volume, which rm --volumes removes (toolhive 3121)', async () => {
    const volume = `podman-volume-${process.pid}`;
    const { name, url } = await run(user, `-v=${volume}:/data`, ...OVER_STDIO);
    await expectServed(url);
    const found = await podman.command(
      'volume',
      'ls',
      '--quiet',
      '--filter',
      `label=portolan.dev/volume-of=${name}`,
    );
    expect(found).to.equal(volume);
    await user.removeAll(name, '--volumes');
    expect(await podman.command('volume', 'ls', '--quiet')).not.to.include(volume);
  });

  it('serve again after a kill of their gateway, whose container Podman keeps while their network uses it', async () => {
    const { name, url } = await run(user, ...OVER_HTTP);
    const gateway = await containerOf(name, 'gateway');
    await podman.command('kill', gateway);
    await eventually(async () => {
      expect(await containerOf(name, 'gateway')).to.not.equal(gateway);
      await expectServed(url);
    }, SOON);
    await user.removeAll(name);
  });

  it('whose files are lost › doctor finds and removes their containers in one network', async () => {
    const { name } = await run(user, ...OVER_HTTP);
    await endWithoutAWord(name);
    const files = (await readdir(user.root, { recursive: true })).filter((file) =>
      path.basename(file).startsWith(`${name}.`),
    );
    for (const file of files) await rm(path.join(user.root, file), { recursive: true });
    // The folder of sockets is in use while the gateway listens, so the second removal succeeds.
    for (let times = 0; times < 2; times += 1) await user.portolan(['doctor', '--fix']);
    expect(await podman.command('ps', '--all', '--quiet')).to.equal('');
    await user.done('logs', 'prune');
    await user.expectNoTraces();
  });

  it('are removed with their containers after kill -9 of their supervisor', async () => {
    const { name } = await run(user, ...OVER_HTTP);
    await endWithoutAWord(name);
    await user.removeAll(name);
  });

  /** Kills the supervisor, which cannot clean up. */
  async function endWithoutAWord(name: string): Promise<void> {
    const file = path.join(user.root, 'data/portolan/statuses', `${name}.supervisor`);
    // SAFETY: a file of Portolan. Without the field, nothing is killed and the test fails.
    const { pid } = JSON.parse(await readFile(file, 'utf8')) as { readonly pid: number };
    process.kill(pid, 'SIGKILL');
    await eventually(() => {
      expect(() => process.kill(pid, 0)).to.throw('ESRCH');
    });
  }
});

async function userAt(
  host: string,
  environment: Readonly<Record<string, string>> = { DOCKER_HOST: host },
): Promise<WorkloadUser> {
  const runtime = engineOf(await dockerRuntime.create({ ...DOCKER, host }, createTestContext()));
  return await WorkloadUser.at(runtime, environment);
}

async function expectServed(url: string): Promise<void> {
  expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
}

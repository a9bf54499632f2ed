import { readdir, readFile } from 'node:fs/promises';
import { eventually, inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { catalogueOf, GitBench, serverOf } from '../../../plugins/source-git/test/git-bench.ts';
import {
  inlineSource,
  type Json,
  RegistryUnderTest,
  serverDocument,
} from '../../support/registry-under-test.ts';
import { skipTest } from '../../support/skip-suite.ts';

/* Sources of kind git in a server: served entries, status, and that one source never affects another. */

const SOON = { withinMs: 30_000 };

describe('a git source', function () {
  this.timeout(120_000);
  let bench: GitBench;
  let registry: RegistryUnderTest | undefined;

  beforeEach(async () => {
    bench = await GitBench.open();
    registry = undefined;
  });
  afterEach(async () => {
    await registry?.close();
    await bench.close();
  });

  async function start(git: Json, more: Json = {}, beside?: RegistryUnderTest): Promise<RegistryUnderTest> {
    const block = { repository: `${bench.server.url}/catalogue.git`, allowHttp: true, ...git };
    registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'auth-only',
      config: {
        sources: [
          { name: 'team', git: block, syncPolicy: { interval: '1s' }, ...more },
          inlineSource('calm', undefined, [serverDocument('dev.acme/calm')]),
        ],
        registries: [
          { name: 'main', sources: ['team'] },
          { name: 'calm', sources: ['calm'] },
        ],
        scratch: { directory: bench.scratch },
      },
      ...(beside === undefined ? {} : { beside }),
    });
    return registry;
  }

  async function names(name = 'main'): Promise<readonly string[]> {
    const answer = await registry?.send('GET', `/registry/${name}/v0.1/servers`, { token: registry.token() });
    const { servers } = answer?.json<{ servers: { server: { name: string } }[] }>() ?? { servers: [] };
    return servers.map(({ server }) => server.name);
  }

  async function status(source = 'team'): Promise<Json> {
    const answer = await registry?.send('GET', `/v1/sources/${source}`, { token: registry.token() });
    return answer?.json<{ syncStatus: Json }>().syncStatus ?? {};
  }

  it('serves pushed entries; a broken file shows in the status and keeps its earlier entries', async () => {
    await bench.repository.commit({
      's/a.json': JSON.stringify(serverOf('a')),
      's/b.json': JSON.stringify(serverOf('b')),
    });
    await start({ path: 's/*.json' });
    await eventually(async () => expect(await names()).to.deep.equal(['dev.acme/a', 'dev.acme/b']), SOON);
    await bench.repository.commit({
      's/a.json': '{ "name": ',
      's/b.json': undefined,
      's/c.json': JSON.stringify(serverOf('c')),
    });
    await eventually(async () => expect(await names()).to.deep.equal(['dev.acme/a', 'dev.acme/c']), SOON);
    const told = JSON.stringify(await status());
    expect(told).to.include('s/a.json').and.include('"phase":"complete"');
    expect(told).to.not.include(bench.folder);
  });

  it('keeps the last valid entries of a deleted repository, without the host in the status', async () => {
    await bench.repository.commit({ 'registry.json': catalogueOf('x') });
    await start({});
    await eventually(async () => expect(await names()).to.deep.equal(['dev.acme/x']), SOON);
    bench.server.intervene = (_request, response) => {
      response.writeHead(404).end();
      return true;
    };
    await eventually(async () => expect((await status())['phase']).to.equal('failed'), SOON);
    expect(await names()).to.deep.equal(['dev.acme/x']);
    expect(JSON.stringify(await status()))
      .to.include('The repository does not exist')
      .and.not.include('127.0.0.1');
  });

  it('applies a changed filter (reference 567) from its local copy, after a restart and without the git server', async () => {
    const commit = await bench.repository.commit({ 'registry.json': catalogueOf('x', 'y') });
    const first = await start({ commit });
    await eventually(async () => expect(await names()).to.have.lengthOf(2), SOON);
    await first.process.stop();
    await bench.server.stop();
    try {
      await start({ commit }, { filter: { names: { exclude: ['*/y'] } } }, first);
      await eventually(async () => expect(await names()).to.deep.equal(['dev.acme/x']), SOON);
      expect((await status())['phase']).to.equal('complete');
      await registry?.close();
    } finally {
      registry = first;
    }
  });

  it('delays no other source when the git server hangs (reference 547, 549, 654, 769, 770, 772), and stops with the registry', async () => {
    await bench.repository.commit({ 'registry.json': catalogueOf('x') });
    bench.server.intervene = () => true;
    const hanging = await start({});
    await eventually(async () => expect(await names('calm')).to.deep.equal(['dev.acme/calm']), SOON);
    await eventually(async () => expect(await gitsOf(bench.scratch)).to.be.above(0), SOON);
    expect((await status('calm'))['phase']).to.equal('complete');
    await inTime('the end of the server', hanging.process.stop(), { withinMs: 60_000 });
    expect(await gitsOf(bench.scratch)).to.equal(0);
  });

  it('ends git processes of a killed server at the next start', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    await bench.repository.commit({ 'registry.json': catalogueOf('x') });
    // Slow enough to last, and fast enough that git does not give up by itself.
    bench.server.intervene = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      const drip = setInterval(() => response.write('x'), 200);
      response.on('close', () => clearInterval(drip));
      return true;
    };
    const killed = await start({ timeout: '1h' });
    await eventually(async () => expect(await gitsOf(bench.scratch)).to.be.above(0), SOON);
    killed.process.kill('SIGKILL');
    await killed.process.finished;
    expect(await gitsOf(bench.scratch), 'what is left').to.be.above(0);
    bench.server.intervene = () => false;
    try {
      await start({}, {}, killed);
      await eventually(async () => expect(await names()).to.deep.equal(['dev.acme/x']), SOON);
      await eventually(async () => expect(await gitsOf(bench.scratch)).to.equal(0), SOON);
      await registry?.close();
    } finally {
      registry = killed;
    }
  });

  it('created through the API › reaches no forbidden address, by address or by name', async () => {
    await bench.repository.commit({ 'registry.json': catalogueOf('x') });
    const server = await start({});
    const token = server.token();
    const { port } = bench.server;
    const put = async (name: string, git: Json) =>
      await server.send('PUT', `/v1/sources/${name}`, {
        token,
        body: { git, syncPolicy: { interval: '1m' } },
      });
    const inside = await put('made', {
      repository: `http://127.0.0.1:${port}/catalogue.git`,
      allowHttp: true,
    });
    expect([inside.status, inside.text.includes('allowPrivateAddresses')]).to.deep.equal([400, true]);
    const file = { username: 'x', passwordFile: '/etc/passwd' };
    const files = await put('made', { repository: 'https://git.acme.example/x.git', auth: file });
    expect([files.status, files.text.includes('allowedDirectories')]).to.deep.equal([400, true]);
    expect((await put('made', { repository: 'ext::sh -c id' })).status).to.equal(400);
    const byName = { repository: `http://localhost:${port}/made.git`, allowHttp: true };
    expect((await put('made', byName)).status).to.equal(201);
    await eventually(
      async () => expect(String((await status('made'))['message'])).to.include('not public'),
      SOON,
    );
    expect(bench.server.asked.filter((line) => line.includes('/made.git'))).to.deep.equal([]);
  });
});

/** Returns the number of git processes for sources in a folder. */
async function gitsOf(folder: string): Promise<number> {
  let count = 0;
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (variables.includes(`HOME=${folder}`)) count += 1;
  }
  return count;
}

import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import { checkDisk } from '../../src/doctor/check-disk.ts';
import { checkEngine } from '../../src/doctor/check-engine.ts';
import { checkLeftovers } from '../../src/doctor/check-leftovers.ts';
import { checkNames } from '../../src/doctor/check-names.ts';
import { checkPorts } from '../../src/doctor/check-ports.ts';
import { repairFindings } from '../../src/doctor/examine.ts';
import { runtimeIdOf } from '../../src/state/directories.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../support/test-workload-context.ts';
import { keep } from './doctor-setup.ts';

const folders = new TemporaryFolders();
const servers: net.Server[] = [];

async function cleanUp(): Promise<void> {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await folders.removeAll();
}

const { signal } = new AbortController();
const open = async (): Promise<TestWorkloadContext> => testWorkloadContext(await folders.make());

async function listen(where: { readonly path: string } | { readonly host: string }): Promise<number> {
  const server = net.createServer();
  servers.push(server);
  server.listen('path' in where ? where : { ...where, port: 0 });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('checkEngine', () => {
  afterEach(cleanUp);

  const answer = {
    name: 'Docker Engine',
    version: '29.1',
    address: 'unix:///run/e.sock',
    addressFrom: 'a rule',
  };
  for (const [sharesSockets, levels] of [
    [true, ['fine']],
    [false, ['fine', 'notice']],
  ] as const) {
    it(`names the engine, ${sharesSockets ? 'without' : 'with'} a notice about missing features`, async () => {
      // The check reads no other part of the description.
      const engine = { ...answer, sharesSockets } as never;
      const context = testWorkloadContext(await folders.make(), { describe: () => Promise.resolve(engine) });
      const found = await checkEngine(context, signal);
      expect(found[0]?.found).to.equal('Docker Engine 29.1 responds at unix:///run/e.sock (a rule).');
      expect(found.map(({ level }) => level)).to.deep.equal(levels);
    });
  }
});

describe('checkPorts', () => {
  afterEach(cleanUp);

  it('finds ports in use by other programs, and addresses of other machines', async () => {
    const context = await open();
    const port = await listen({ host: '127.0.0.1' });
    await keep(context, 'taken', { status: 'stopped' }, { port, host: '127.0.0.1' });
    await keep(context, 'moved', { status: 'stopped' }, { port: 20_000, host: '192.0.2.1' });
    await keep(context, 'remote', { status: 'stopped' });
    const found = (await checkPorts(context)).toSorted((left, right) => (left.found < right.found ? -1 : 1));
    expect(found.map(({ level, found: text }) => [level, text])).to.deep.equal([
      ['problem', `Port ${port} of workload taken is in use by another program.`],
      [
        'problem',
        'Workload moved is configured to listen at 192.0.2.1, which is not an address of this machine.',
      ],
    ]);
    expect(found[0]?.remedy).to.include('`portolan change taken --proxy-port PORT`');
  });

  it('accepts the port of a running workload', async () => {
    const context = await open();
    const port = await listen({ host: '127.0.0.1' });
    await keep(context, 'runs', { status: 'running', supervisor: await ownProcess() }, { port });
    expect((await checkPorts(context)).map(({ level }) => level)).to.deep.equal(['fine']);
  });
});

describe('checkNames', () => {
  afterEach(cleanUp);

  it('looks up the hosts of the registries', async () => {
    const context = await open();
    const asked: string[] = [];
    const user = { ...context.user, registryApiUrl: 'https://registry.acme.example/registry/main' };
    const found = await checkNames({ ...context, user }, signal, (host) => {
      asked.push(host);
      return host.startsWith('registry-1.')
        ? Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }))
        : Promise.resolve();
    });
    expect(asked).to.deep.equal(['registry.acme.example', 'registry-1.docker.io']);
    expect(found.map(({ level }) => level)).to.deep.equal(['fine', 'notice']);
    expect(found[1]?.found).to.include('(ENOTFOUND)');
  });

  it('looks up nothing when a proxy is configured', async () => {
    const context = await open();
    const environment = { HTTPS_PROXY: 'http://proxy.acme.example:3128' };
    const found = await checkNames({ ...context, environment }, signal, () =>
      Promise.reject(new Error('asked')),
    );
    expect(found.map(({ level }) => level)).to.deep.equal(['fine']);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const never = checkNames(await open(), controller.signal, () => new Promise(() => undefined));
    const failed = never.catch((error: unknown) => error);
    controller.abort(new Error('stopped'));
    expect(String(await failed)).to.equal('Error: stopped');
  });
});

describe('checkDisk', () => {
  afterEach(cleanUp);

  it('measures the parent of a missing folder', async () => {
    const context = await open();
    const found = await checkDisk(context);
    expect(found).to.have.lengthOf(3);
    expect(found[0]?.found).to.match(/^\d+ MiB are free for state files \(.*statuses\)\.$/);
  });

  it('finds a file in place of a folder, and a folder that cannot be created', async () => {
    const context = await open();
    const file = path.join(context.home, 'file');
    await writeFile(file, '');
    const directories = { ...context.directories, statuses: file, logs: '/proc/1/portolan/logs' };
    const [state, logs] = await checkDisk({ ...context, directories });
    expect([state?.level, logs?.level]).to.deep.equal(['problem', 'problem']);
    expect(state?.found).to.include(`${file} is not a folder`);
    expect(logs?.remedy).to.include('/proc/1');
  });
});

describe('checkLeftovers', () => {
  afterEach(cleanUp);

  it('finds and removes runtime folders without a listening process', async () => {
    const context = await open();
    const { runtime } = context.directories;
    await keep(context, 'notes', { status: 'stopped' });
    const folder = async (id: string, ageMs: number): Promise<string> => {
      const made = path.join(runtime, id);
      await mkdir(made, { recursive: true });
      const then = new Date(Date.now() - ageMs);
      await utimes(made, then, then);
      return made;
    };
    const DAY_MS = 24 * 60 * 60 * 1000;
    await folder(runtimeIdOf('notes', context.directories), DAY_MS);
    await folder('young', 0);
    const old = await folder('old', DAY_MS);
    await listen({ path: path.join(await folder('used', DAY_MS), 'relay.sock') });
    await symlink('/nowhere', path.join(await folder('dead', 0), 'relay.sock'));
    // A process of one session has its folder inside that of its workload.
    const ofSession = path.join(await folder('sessions', DAY_MS), '1a2b3c4d');
    await mkdir(ofSession);
    await listen({ path: path.join(ofSession, 'egress.sock') });
    await folder('sessions', DAY_MS);
    await mkdir(path.join(await folder('ended', 0), '1a2b3c4d'));
    await symlink('/nowhere', path.join(runtime, 'ended', '1a2b3c4d', 'egress.sock'));
    const findings = (await checkLeftovers(context)).toSorted((a, b) => (a.found < b.found ? -1 : 1));
    expect(findings.map(({ found }) => found)).to.deep.equal([
      `${path.join(runtime, 'dead')} belongs to a workload that no longer exists.`,
      `${path.join(runtime, 'ended')} belongs to a workload that no longer exists.`,
      `${old} belongs to a workload that no longer exists.`,
    ]);
    expect((await repairFindings(findings, signal)).map(({ repaired }) => repaired)).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect((await checkLeftovers(context)).map(({ level }) => level)).to.deep.equal(['fine']);
  });
});

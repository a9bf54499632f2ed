import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { buildContext } from '../../../../plugins/runtime-docker/test/support/build-context.ts';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { overHttp, overStdio } from './support/faulty-servers.ts';

const run = promisify(execFile);
const SOON = { withinMs: 30_000 };
const SHARED = ['--stdio-sessions', 'shared'];

describe('a running workload', function () {
  this.timeout(180_000);
  const stage = useFaultStage();

  /** Expects that a new client is served, whatever happened to others. */
  async function expectServed(url: string): Promise<void> {
    const session = await openSession(url);
    expect(await ask(url, 'tools/list', {}, session)).to.deep.equal({ tools: [] });
  }

  async function expectListed(name: string, status: string): Promise<void> {
    await eventually(async () => expect(await stage.listed(name)).to.include({ status }), SOON);
  }

  const harms = [
    { title: 'floods its standard output', method: 'flood' },
    { title: 'writes half a line and hangs', method: 'half' },
    { title: 'runs out of memory', method: 'hog' },
    { title: 'exits', method: 'exit' },
  ];
  for (const { title, method } of harms) {
    it(`serves others when the server of one client ${title}`, async () => {
      const name = stage.name();
      const url = await stage.runs(name, ...overStdio());
      const session = await openSession(url);
      const harmed = ask(url, method, { code: 5 }, session).catch((error: unknown) => error);
      await expectServed(url);
      await expectListed(name, 'running');
      await stage.user.removeAll(name);
      await harmed;
    });
  }

  for (const { title, words } of [
    { title: 'a shared server', words: [...SHARED, ...overStdio()] },
    { title: 'a server that speaks HTTP', words: overHttp() },
  ]) {
    it(`restarts ${title} when it runs out of memory`, async () => {
      const name = stage.name();
      const url = await stage.runs(name, ...words);
      await ask(url, 'hog', {}, await openSession(url)).catch(() => undefined);
      await eventually(() => expectServed(url), SOON);
      await expectListed(name, 'running');
      await stage.user.removeAll(name);
    });

    it(`with ${title} is stopped and keeps its settings when its container is removed outside of Portolan`, async () => {
      const name = stage.name();
      const url = await stage.runs(name, ...words);
      await stage.user.runtime.removeContainer(await stage.seen(name, 'server'));
      await expectListed(name, 'stopped');
      const listed = await stage.listed(name);
      expect(listed?.['status_context']).to.contain('its container was removed by another program');
      expect(await stage.user.done('start', name)).to.equal(`${url}\n`);
      await expectServed(url);
      await stage.user.removeAll(name);
    });
  }

  it('reopens its network when its gateway container is removed', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overHttp());
    await stage.user.runtime.removeContainer(await stage.seen(name, 'gateway'));
    await eventually(() => expectServed(url), SOON);
    await expectListed(name, 'running');
    await stage.user.removeAll(name);
  });

  for (const { title, words } of [
    { title: 'a server for each session', words: overStdio() },
    { title: 'a server that speaks HTTP', words: overHttp() },
  ]) {
    it(`with ${title} survives kill -9 of its supervisor`, async () => {
      const name = stage.name();
      const url = await stage.runs(name, ...words);
      const before = await stage.containers(name);
      process.kill(await stage.supervisorOf(name), 'SIGKILL');
      await expectListed(name, 'unhealthy');
      expect((await stage.user.done('start', name)).trim()).to.equal(url);
      await expectServed(url);
      await expectListed(name, 'running');
      const isHttp = words.includes('streamable-http');
      if (isHttp) expect(await stage.containers(name), 'taken over').to.have.deep.members(before);
      process.kill(await stage.supervisorOf(name), 'SIGKILL');
      await expectListed(name, 'unhealthy');
      await stage.user.removeAll(name);
    });
  }

  const damages = [
    {
      title: 'is truncated',
      change: (text: string) => text.slice(0, text.length / 2),
      says: /unfinished|cut|damaged|end/i,
    },
    { title: 'is empty', change: () => '', says: /empty/ },
    {
      title: 'is of a later version',
      change: (text: string) => text.replace('"format": 1', '"format": 2'),
      says: /2/,
    },
  ];
  for (const { title, change, says } of damages) {
    it(`can be listed and removed, but not replaced by a run of its name, when its state ${title}`, async () => {
      const name = stage.name();
      const url = await stage.runs(name, ...overStdio());
      const file = stage.stateFile(name);
      const damaged = change(await readFile(file, 'utf8'));
      await writeFile(file, damaged);
      const listed = await stage.listed(name);
      expect(listed).to.include({ status: 'unknown' });
      expect(listed?.['status_context']).to.match(says).and.to.contain('its supervisor runs');
      expectFailed(await stage.begin(stage.words(name, ...overStdio())).finished, file);
      await expectServed(url);
      process.kill(await stage.supervisorOf(name), 'SIGKILL');
      expectFailed(await stage.begin(['start', name]).finished, file);
      expect(await readFile(file, 'utf8'), 'nothing is written over it').to.equal(damaged);
      expect(await stage.listed(name)).to.include({ status: 'unknown' });
      await stage.user.removeAll(name);
      expectFailed(await stage.user.portolan(['rm', name]), name);
    });
  }

  it('doctor › finds and removes what a second signal leaves of `run --foreground`', async () => {
    const name = stage.name();
    const running = stage.begin(stage.words(name, '--foreground', ...overStdio()));
    const [url = ''] = await running.printed(/http:\/\/\S+/);
    await openSession(url);
    await stage.seen(name, 'session');
    // Two different signals, so that the kernel delivers both.
    running.kill('SIGINT');
    running.kill('SIGTERM');
    expect((await running.finished).status).to.be.oneOf([130, 143]);
    expect((await stage.containers(name)).map(({ role }) => role))
      .to.include('session')
      .and.to.include('gateway');
    const doctor = await stage.begin(['doctor']).finished;
    expect(doctor.status).to.equal(1);
    expect(doctor.stdout).to.contain(name);
    await stage.begin(['doctor', '--fix']).finished;
    expect(await stage.containers(name)).to.deep.equal([]);
    await stage.user.removeAll(name);
  });

  it('status › shows the reason of the engine when the image of a workload is missing', async () => {
    const name = stage.name();
    const image = `portolan-test-faults/gone:${stage.run}`;
    // This image differs from the base of the stage but shares its layers.
    await stage.user.runtime.buildImage(buildContext('FROM portolan-test/node\nENV GONE=soon\n'), {
      reference: image,
      dockerfile: 'Dockerfile',
      labels: stage.labels,
    });
    const { stdout: id } = await run('docker', ['images', '-q', '--no-trunc', image]);
    const url = await stage.user.run(image, '--name', name, '--permission-profile', 'none', ...overStdio());
    // The engine keeps an image while a container uses it.
    await eventually(async () => {
      for (const container of await stage.containers(name))
        if (container.role !== 'gateway')
          await run('docker', ['rm', '-f', container.id]).catch(() => undefined);
      await run('docker', ['rmi', '-f', image]).catch(() => undefined);
      await run('docker', ['rmi', '-f', id.trim()]).catch(() => undefined);
      expect(await run('docker', ['inspect', id.trim()]).catch(() => 'gone')).to.equal('gone');
    }, SOON);
    await eventually(
      async () => {
        await openSession(url).catch(() => undefined);
        expect(await stage.listed(name)).to.include({ status: 'error' });
      },
      { withinMs: 120_000 },
    );
    const reason = `The image "${id.trim()}" was not found`;
    expect((await stage.listed(name))?.['status_context']).to.contain(reason);
    await stage.user.removeAll(name);
  });

  it('reads a state file of the first version with fields of later ones', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overStdio());
    const file = stage.stateFile(name);
    // SAFETY: a file of Portolan that contains a map.
    const state = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...state, colour: 'blue' }));
    expect(await stage.listed(name)).to.include({ status: 'running', url });
    await stage.user.removeAll(name);
  });
});

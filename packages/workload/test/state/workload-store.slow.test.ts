import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { findProcess, ownProcess } from '../../src/state/process-identity.ts';
import { WorkloadStore } from '../../src/state/workload-store.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { exitCode, firstLine, Workers } from '../support/workers.ts';

const folders = new TemporaryFolders();
const workers = new Workers();

const config = (name: string, more: Partial<RunConfig> = {}): RunConfig =>
  createRunConfig({ name, image: 'nginx', ...more });

interface Opened {
  readonly folder: string;
  readonly store: WorkloadStore;
  readonly file: (kind: 'runconfigs' | 'statuses', name: string) => string;
}

async function open(): Promise<Opened> {
  const folder = await folders.make();
  let seconds = 0;
  const store = new WorkloadStore({
    directories: { runConfigs: path.join(folder, 'runconfigs'), statuses: path.join(folder, 'statuses') },
    clock: () => new Date(1000 * (seconds += 1)),
    lock: { timeoutMs: 30_000 },
  });
  return { folder, store, file: (kind, name) => path.join(folder, kind, `${name}.json`) };
}

/** Returns the names of all files below a folder. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const items = await readdir(folder, { recursive: true, withFileTypes: true });
  return items.filter((item) => !item.isDirectory()).map((item) => item.name);
}

describe('WorkloadStore', () => {
  afterEach(async () => {
    await workers.endAll();
    await folders.removeAll();
  });

  it('stores a workload with mode 600 until it is removed', async () => {
    const { store, file, folder } = await open();
    const state = await store.claim(config('weather'), await ownProcess(), { imageDigest: 'sha256:1' });
    expect(state).to.include({ name: 'weather', status: 'starting', imageDigest: 'sha256:1' });
    const changed = await store.change('weather', (one) => ({
      ...one,
      status: 'running',
      url: 'http://127.0.0.1:1/mcp',
    }));
    expect(changed.updatedAt.getTime()).to.be.greaterThan(changed.createdAt.getTime());
    await store.replaceConfig(config('weather', { port: 7 }));
    expect(await store.getState('weather')).to.deep.equal(changed);
    expect((await store.getConfig('weather')).config.port).to.equal(7);
    expect(await store.find('weather')).to.deep.include({ faults: [], state: changed });
    for (const kind of ['runconfigs', 'statuses'] as const) {
      expect((await stat(file(kind, 'weather'))).mode & 0o777).to.equal(0o600);
    }
    await store.remove('weather');
    expect(await store.find('weather')).to.equal(undefined);
    expect(await filesBelow(folder)).to.deep.equal([]);
    await store.remove('weather');
  });

  it('list › returns workloads by name, including those with missing parts', async () => {
    const { store, file } = await open();
    for (const name of ['c', 'a', 'b', 'd']) await store.claim(config(name), await ownProcess());
    await writeFile(file('statuses', 'a'), '{"format": 1, "na');
    await writeFile(file('runconfigs', 'b'), 'garbage');
    await writeFile(file('statuses', 'odd name'), '{}');
    await writeFile(path.join(path.dirname(file('statuses', 'x')), 'notes.txt'), '');
    const listed = await store.list();
    expect(listed.map(({ name }) => name)).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(
      listed.map(({ state, config: kept, faults }) => [
        state !== undefined,
        kept !== undefined,
        faults.length,
      ]),
    ).to.deep.equal([
      [false, true, 1],
      [true, false, 1],
      [true, true, 0],
      [true, true, 0],
    ]);
    expect(listed[0]?.faults[0]).to.include('is damaged').and.to.include('a.json');
  });

  it('contains no workloads at first', async () => {
    const { store } = await open();
    expect(await store.list()).to.deep.equal([]);
    expect(await store.find('../../etc/passwd')).to.equal(undefined);
    for (const action of [
      () => store.getState('x'),
      () => store.getConfig('x'),
      () => store.change('../x', (one) => one),
      () => store.lock('x/y'),
      () => store.lock('../x'),
    ]) {
      expect(await caught(action)).to.have.property('code', 'ERR_WORKLOAD_UNKNOWN');
    }
  });

  const damages = [
    { title: 'truncated', text: '{"format": 1, "status": "runn', code: 'ERR_STATE_DAMAGED' },
    { title: 'empty', text: '', code: 'ERR_STATE_DAMAGED' },
    { title: 'of another program', text: '{"status": "running"}', code: 'ERR_STATE_FOREIGN' },
    {
      title: 'of a newer format',
      text: '{"format": 99, "name": "weather", "future": true}',
      code: 'ERR_STATE_NEWER',
    },
    {
      title: 'of another workload',
      text: '{"format": 1, "name": "Weather", "status": "running"}',
      code: 'ERR_STATE_FOREIGN',
    },
  ];
  for (const { title, text, code } of damages) {
    it(`changes nothing when the state is ${title}, but can rename or remove the file`, async () => {
      const { store, file, folder } = await open();
      await store.claim(config('weather'), await ownProcess());
      await writeFile(file('statuses', 'weather'), text);
      expect((await store.find('weather'))?.supervisor).to.deep.equal(await ownProcess());
      const owner = await ownProcess();
      for (const action of [
        () => store.getState('weather'),
        () => store.change('weather', (state) => ({ ...state, status: 'running' })),
        () => store.claim(config('weather'), owner),
        () => store.claim(config('weather'), owner, { replace: true }),
      ]) {
        expect(await caught(action)).to.have.property('code', code);
      }
      expect(await readFile(file('statuses', 'weather'), 'utf8')).to.equal(text);
      const [kept = ''] = await store.setAside('weather');
      expect(kept).to.equal(`${file('statuses', 'weather')}.corrupted`);
      expect(await readFile(kept, 'utf8')).to.equal(text);
      expect((await store.find('weather'))?.config).not.to.equal(undefined);
      await writeFile(file('statuses', 'weather'), text);
      expect(await store.setAside('weather')).to.deep.equal([`${file('statuses', 'weather')}.corrupted-2`]);
      await writeFile(file('statuses', 'weather'), text);
      await store.remove('weather');
      expect(await store.find('weather')).to.equal(undefined);
      expect(await filesBelow(folder)).to.deep.equal([]);
    });
  }

  it('setAside › does not rename readable files', async () => {
    const { store } = await open();
    await store.claim(config('weather'), await ownProcess());
    expect(await store.setAside('weather')).to.deep.equal([]);
  });

  it('remove › deletes temporary files of killed writers', async () => {
    const { store, file, folder } = await open();
    await store.claim(config('weather'), await ownProcess());
    await writeFile(path.join(path.dirname(file('statuses', 'x')), '.weather.json.0123456789ab.tmp'), '{');
    await store.remove('weather');
    expect(await filesBelow(folder)).to.deep.equal([]);
  });

  it('remove › deletes a folder in place of a file', async () => {
    const { store, file } = await open();
    await mkdir(file('statuses', 'weather'), { recursive: true });
    expect((await store.find('weather'))?.faults[0]).to.include('Cannot read');
    await store.remove('weather');
    expect(await store.find('weather')).to.equal(undefined);
  });

  it('claim › rejects a name in use, except for failed or interrupted starts and replacements', async () => {
    const { store } = await open();
    const own = await ownProcess();
    await store.claim(config('weather', { port: 1 }), own);
    const taken = await caught(() => store.claim(config('weather', { port: 2 }), own));
    expect(taken.code).to.equal('ERR_WORKLOAD_EXISTS');
    expect(taken.message).to.equal("workload with name 'weather' already exists");
    expect((await store.getConfig('weather')).config.port).to.equal(1);
    for (const status of ['running', 'stopped', 'removing'] as const) {
      await store.change('weather', (state) => ({ ...state, status, supervisor: undefined }));
      expect(await caught(() => store.claim(config('weather'), own))).to.have.property(
        'code',
        'ERR_WORKLOAD_EXISTS',
      );
    }
    await store.change('weather', (state) => ({ ...state, status: 'error' }));
    await store.claim(config('weather', { port: 3 }), { pid: own.pid, started: 'another process' });
    await store.claim(config('weather', { port: 4 }), own);
    expect(await store.claim(config('weather', { port: 5 }), own, { replace: true })).to.include({
      status: 'starting',
    });
    expect((await store.getConfig('weather')).config.port).to.equal(5);
  });

  it('claim › rejects a run config with a plain secret, and writes nothing', async () => {
    const { store } = await open();
    const leaky = config('weather', { remote_auth_config: { client_secret: 'hunter2' } });
    expect(await caught(async () => store.claim(leaky, await ownProcess()))).to.have.property(
      'code',
      'ERR_RUN_CONFIG_SECRET',
    );
    expect(await store.list()).to.deep.equal([]);
  });

  it('claim › succeeds for one of several concurrent processes', async () => {
    const { folder, store } = await open();
    const started = Array.from({ length: 5 }, () => workers.start(folder, 'claim'));
    const lines = await Promise.all(started.map(firstLine));
    expect(lines.filter((line) => line === 'won')).to.have.lengthOf(1);
    expect(lines.filter((line) => line === 'ERR_WORKLOAD_EXISTS')).to.have.lengthOf(4);
    const winner = started[lines.indexOf('won')];
    const { supervisor } = await store.getState('weather');
    expect(supervisor).to.deep.equal(await findProcess(winner?.pid ?? 0));
    expect((await store.getConfig('weather')).config.port).to.equal((winner?.pid ?? 0) % 65_536);
    winner?.kill('SIGKILL');
    if (winner !== undefined) await once(winner, 'exit');
    // The workload was starting and its supervisor has ended, so another process can claim the name.
    await store.claim(config('weather'), await ownProcess());
  }).timeout(180_000);

  it('change › loses no change of concurrent processes', async () => {
    const { folder, store } = await open();
    await store.claim(config('weather'), await ownProcess());
    const started = Array.from({ length: 4 }, () => workers.start(folder, 'change', '10'));
    expect(await Promise.all(started.map(exitCode))).to.deep.equal([0, 0, 0, 0]);
    expect((await store.getState('weather')).statusContext).to.equal('x'.repeat(40));
    expect(await readdir(path.join(folder, 'statuses'))).to.have.members([
      'weather.json',
      'weather.supervisor',
    ]);
  }).timeout(180_000);

  it('lock › is held by one process at a time, and does not block `change`', async () => {
    const { store, folder } = await open();
    const lock = await store.lock('weather');
    expect(await caught(() => store.lock('weather', { timeoutMs: 20 }))).to.have.property(
      'code',
      'ERR_STATE_BUSY',
    );
    await store.claim(config('weather'), await ownProcess());
    await lock.release();
    await store.remove('weather');
    expect(await filesBelow(folder)).to.deep.equal([]);
  });
});

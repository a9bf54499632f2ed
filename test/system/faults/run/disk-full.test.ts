import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ask, openSession } from '../../supervise/support/mini-servers.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { overHttp, overStdio } from './support/faulty-servers.ts';

const run = promisify(execFile);

describe('workloads on a full disk', function () {
  this.timeout(180_000);
  after(async () => {
    await stage.clear();
    await run('umount', [stage.user.root]).catch(() => undefined); // A skipped suite has none.
  });
  const stage = useFaultStage();
  const ballast = (): string => path.join(stage.user.root, 'cache/ballast');

  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can mount a small disk');
    const { root } = stage.user;
    await run('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=700', 'portolan-small-disk', root]);
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    await mkdir(path.join(root, 'cache'));
  });
  afterEach(async () => await rm(ballast(), { force: true }));

  /** Fills the disk except for this number of free blocks. */
  async function fill(free: number): Promise<void> {
    const { bavail, bsize } = await statfs(stage.user.root);
    await writeFile(ballast(), Buffer.alloc((bavail - free) * bsize, 1));
  }

  // Free blocks for nothing, for a part of the claim's files, and for all of them but not for what the
  // supervisor writes when it is ready.
  for (const free of [0, 2, 4]) {
    it(`run › fails with a message and leaves nothing when ${free} blocks are free`, async () => {
      await fill(free);
      const name = stage.name();
      expectFailed(await stage.begin(stage.words(name, ...overStdio())).finished, 'no space left on device');
      expect(await stage.user.list()).to.deep.equal([]);
      await stage.user.expectNoTraces();
    });
  }

  it('run --replace › keeps the settings of the earlier workload when it cannot write', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overHttp());
    const before = await stage.user.done('export', name, '-');
    await fill(0);
    const replaced = await stage.begin(stage.words(name, '--replace', ...overStdio())).finished;
    expectFailed(replaced, 'no space left on device');
    expect(await stage.user.done('export', name, '-')).to.equal(before);
    await rm(ballast());
    expect(await stage.user.done('start', name)).to.equal(`${url}\n`);
    await stage.user.removeAll(name);
  });

  it('still serve, are listed, and can be stopped and removed, but not started', async () => {
    const name = stage.name();
    const url = await stage.runs(name, ...overHttp());
    await fill(0);
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
    expect(await stage.listed(name)).to.include({ status: 'running', url });
    const stopped = await stage.begin(['stop', name]).finished;
    expect(stopped.status, stopped.stderr).to.equal(0);
    expect(stopped.stderr).to.contain(`${name} is stopped`).and.to.contain('no space left on device');
    expect(await stage.containers(name)).to.deep.equal([]);
    expect(await stage.listed(name)).to.include({ status: 'stopped', url: '' });
    expectFailed(await stage.begin(['start', name]).finished, 'no space left on device');
    expect(await stage.listed(name)).to.include({ status: 'stopped' });
    await rm(ballast());
    expect(await stage.user.done('start', name)).to.equal(`${url}\n`);
    expect(await ask(url, 'tools/list', {}, await openSession(url))).to.deep.equal({ tools: [] });
    await fill(0);
    await stage.user.removeAll(name);
  });

  it('rm › records a client entry that it cannot remove, and the next command removes it', async () => {
    const name = stage.name();
    const file = path.join(stage.user.root, '.cursor/mcp.json');
    await mkdir(path.dirname(file));
    // The removal frees blocks, but fewer than a new copy of this file needs.
    await writeFile(file, JSON.stringify({ note: 'x'.repeat(150_000) }));
    await stage.user.done('client', 'register', 'cursor');
    const url = await stage.runs(name, ...overHttp());
    expect(await readFile(file, 'utf8')).to.include(name);
    await fill(0);
    const removed = await stage.begin(['rm', name]).finished;
    expect(removed.status, removed.stderr).to.equal(0);
    expect(removed.stderr).to.contain(`${file} was not changed`).and.to.contain('The next portolan command');
    expect(await readFile(file, 'utf8')).to.include(url);
    const full = await stage.begin(['doctor', '--format', 'json']).finished;
    expect(full.stdout).to.contain(`The removal of workload ${name} is unfinished`);
    await rm(ballast());
    const listed = await stage.begin(['list']).finished;
    expect(listed.stderr).to.contain(`finished the removal of ${name}`);
    expect(await readFile(file, 'utf8')).to.not.include(name);
    expect((await stage.begin(['list']).finished).stderr).to.equal('');
    await stage.user.done('client', 'remove', 'cursor');
  });
});

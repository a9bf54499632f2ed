import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { once } from 'node:events';
import { expect } from 'chai';
import { takeLock, withLock } from '../../src/state/file-lock.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { exitCode, firstLine, Workers } from '../support/workers.ts';

const folders = new TemporaryFolders();
const workers = new Workers();

describe('takeLock', () => {
  afterEach(async () => {
    await workers.endAll();
    await folders.removeAll();
  });

  it('gives the lock to one caller at a time, and leaves no file', async () => {
    const folder = await folders.make();
    let inside = 0;
    let done = 0;
    const step = async (): Promise<void> => {
      inside += 1;
      expect(inside).to.equal(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      done += 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(path.join(folder, 'a.lock'), step)));
    expect(done).to.equal(20);
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('gives the lock to one process at a time', async () => {
    const folder = await folders.make();
    await writeFile(path.join(folder, 'count'), '0');
    const started = Array.from({ length: 6 }, () => workers.start(folder, 'count', '25'));
    expect(await Promise.all(started.map(exitCode))).to.deep.equal([0, 0, 0, 0, 0, 0]);
    expect(await readFile(path.join(folder, 'count'), 'utf8')).to.equal('150');
    expect(await readdir(folder)).to.deep.equal(['count']);
  }).timeout(180_000);

  it('gets the lock of a killed process', async () => {
    const folder = await folders.make();
    const lock = path.join(folder, 'the.lock');
    const holder = workers.start(folder, 'hold');
    expect(await firstLine(holder)).to.equal('held');
    const busy = await caught(() => takeLock(lock, { timeoutMs: 50 }));
    expect(busy.code).to.equal('ERR_STATE_BUSY');
    expect(busy.message).to.include(`process ${holder.pid}`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const mine = await takeLock(lock, { timeoutMs: 30_000 });
    await mine.release();
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('ignores the files of dead processes and of reused process ids', async () => {
    const folder = await folders.make();
    const lock = path.join(folder, 'the.lock');
    const { pid } = await ownProcess();
    await mkdir(lock);
    for (const name of [
      `drawing.${pid}.00ff.aa`,
      `ticket.0000000001.${pid}.00ff.ab`,
      'ticket.0000000002.999999999.00.ac',
      'not-ours',
    ]) {
      await writeFile(path.join(lock, name), '');
    }
    const mine = await takeLock(lock, { timeoutMs: 30_000 });
    await mine.release();
    expect(await readdir(lock)).to.deep.equal(['not-ours']);
  });

  it('rejects when the signal aborts, and leaves the lock to others', async () => {
    const lock = path.join(await folders.make(), 'the.lock');
    const first = await takeLock(lock);
    const controller = new AbortController();
    const second = takeLock(lock, { signal: controller.signal });
    controller.abort(new Error('enough'));
    expect(await second.catch((error: unknown) => String(error))).to.match(/enough|abort/i);
    await first.release();
    await (await takeLock(lock, { timeoutMs: 30_000 })).release();
  });

  it('returns a lock whose second release does nothing', async () => {
    const lock = path.join(await folders.make(), 'the.lock');
    const first = await takeLock(lock);
    await first.release();
    const second = await takeLock(lock);
    await first.release();
    expect(await caught(() => takeLock(lock, { timeoutMs: 20 }))).to.have.property('code', 'ERR_STATE_BUSY');
    await second.release();
  });

  it('throws ERR_STATE_INACCESSIBLE when the folder is not writable', async () => {
    const file = path.join(await folders.make(), 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    const error = await caught(() => takeLock(path.join(file, 'the.lock')));
    expect(error.code).to.equal('ERR_STATE_INACCESSIBLE');
  });
});

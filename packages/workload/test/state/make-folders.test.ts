import { expect } from 'chai';
import { chmod, mkdir, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolders } from '../../src/state/make-folders.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';

const folders = new TemporaryFolders();

async function faultOf(folder: string): Promise<unknown> {
  return await makeFolders(folder, 0o700).catch((error: NodeJS.ErrnoException) => error.code);
}

describe('makeFolders', () => {
  afterEach(() => folders.removeAll());

  it('creates a folder and its parents, also concurrently', async () => {
    const root = await folders.make();
    const folder = path.join(root, 'a', 'b', 'c');
    // All 40 calls race. A folder that another call creates meanwhile is no error.
    await Promise.all(Array.from({ length: 40 }, () => makeFolders(folder, 0o700)));
    for (const one of [folder, path.dirname(folder)]) expect((await stat(one)).mode & 0o777).to.equal(0o700);
  });

  it('keeps the mode of an existing folder', async () => {
    const root = await folders.make();
    await chmod(root, 0o755);
    await makeFolders(root, 0o700);
    expect((await stat(root)).mode & 0o777).to.equal(0o755);
  });

  it('succeeds while another process repeatedly removes the folder', async () => {
    const folder = path.join(await folders.make(), 'lock');
    const over = new AbortController();
    const removing = (async () => {
      while (!over.signal.aborted) await rmdir(folder).catch(() => undefined); // the folder may not exist
    })();
    for (let times = 0; times < 300; times += 1) await makeFolders(folder, 0o700);
    over.abort();
    await removing;
  });

  it('succeeds while other processes repeatedly create and remove the folder', async () => {
    const folder = path.join(await folders.make(), 'lock');
    const over = new AbortController();
    const churning = Array.from({ length: 2 }, async () => {
      while (!over.signal.aborted) {
        await mkdir(folder).catch(() => undefined);
        await rmdir(folder).catch(() => undefined);
      }
    });
    const faults = new Set<unknown>();
    for (let times = 0; times < 300; times += 1) faults.add(await faultOf(folder));
    over.abort();
    await Promise.all(churning);
    expect([...faults]).to.deep.equal([undefined]);
  });

  it('rejects a broken symbolic link with EEXIST', async () => {
    const link = path.join(await folders.make(), 'link');
    await symlink('nowhere', link);
    expect(await faultOf(link)).to.equal('EEXIST');
  });

  it('rejects a file in place of a folder', async () => {
    const file = path.join(await folders.make(), 'file');
    await writeFile(file, '');
    expect(await faultOf(file)).to.equal('EEXIST');
    expect(await faultOf(path.join(file, 'a', 'b'))).to.equal('ENOTDIR');
  });

  it('rejects at once in a place where folders cannot be created', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    expect(await faultOf('/proc/portolan/a/b')).to.equal('ENOENT');
  });
});

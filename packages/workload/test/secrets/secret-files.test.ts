import { expect } from 'chai';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { secretStoreContext } from '../../src/secrets/secret-files.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

async function filesIn(folder: string) {
  const directories = { secrets: path.join(folder, 'secrets'), groups: path.join(folder, 'state', 'groups') };
  return secretStoreContext({ directories, environment: {} }).files;
}

describe('secretStoreContext', () => {
  afterEach(() => folders.removeAll());

  it('creates files with mode 600, and leaves no other file', async () => {
    const folder = await folders.make();
    const files = await filesIn(folder);
    expect(await files.read('encrypted', 10)).to.equal(undefined);
    await files.update('encrypted', 10, async () => await Promise.resolve(Buffer.from('x')));
    const file = path.join(folder, 'secrets', 'encrypted');
    expect(files.pathOf('encrypted')).to.equal(file);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).to.equal(0o700);
    expect(await readdir(path.dirname(file))).to.deep.equal(['encrypted']);
    expect(await readdir(path.join(folder, 'state', 'locks'))).to.deep.equal([]);
  });

  it('writes nothing when the change is undefined or fails', async () => {
    const files = await filesIn(await folders.make());
    await files.update('encrypted', 10, async () => await Promise.resolve(undefined));
    await files
      .update('encrypted', 10, async () => await Promise.reject(new Error('no')))
      .catch((error: unknown) => expect(error).to.have.property('message', 'no'));
    expect(await files.read('encrypted', 10)).to.equal(undefined);
  });

  it('loses no concurrent change', async () => {
    const files = await filesIn(await folders.make());
    const add = (): Promise<void> =>
      files.update('encrypted', 100, async (content) => {
        await new Promise((resolve) => setImmediate(resolve));
        return Buffer.from(`${Buffer.from(content ?? []).toString()}x`);
      });
    await Promise.all(Array.from({ length: 10 }, add));
    expect(Buffer.from((await files.read('encrypted', 100)) ?? []).toString()).to.equal('xxxxxxxxxx');
  });

  it('rejects a file above the size limit', async () => {
    const folder = await folders.make();
    const files = await filesIn(folder);
    await files.update('encrypted', 10, async () => await Promise.resolve(Buffer.alloc(11)));
    expect((await caught(() => files.read('encrypted', 10))).code).to.equal('ERR_STATE_INACCESSIBLE');
    expect(
      (await caught(() => files.update('encrypted', 10, () => Promise.resolve(undefined)))).code,
    ).to.equal('ERR_STATE_INACCESSIBLE');
  });

  it("rejects file names outside of the store's folder", async () => {
    const files = await filesIn(await folders.make());
    for (const name of ['../x', '/etc/passwd', '', '.x', 'a/b']) {
      expect(() => files.pathOf(name), name).to.throw(TypeError);
    }
  });

  it('follows a symbolic link, and keeps the permissions of its target', async () => {
    const folder = await folders.make();
    await mkdir(path.join(folder, 'secrets'));
    const target = path.join(folder, 'elsewhere');
    await writeFile(target, 'before');
    await chmod(target, 0o640);
    await symlink(target, path.join(folder, 'secrets', 'encrypted'));
    const files = await filesIn(folder);
    await files.update('encrypted', 10, async () => await Promise.resolve(Buffer.from('after')));
    expect(await readFile(target, 'utf8')).to.equal('after');
    expect((await stat(target)).mode & 0o777).to.equal(0o640);
  });
});

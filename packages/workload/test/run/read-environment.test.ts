import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { readEnvironmentFile, readEnvironmentFolder } from '../../src/run/steps/read/read-environment.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

describe('readEnvironmentFile', () => {
  afterEach(() => folders.removeAll());

  it('names an unreadable file', async () => {
    const file = path.join(await folders.make(), 'gone.env');
    const error = await caught(() => readEnvironmentFile(file));
    expect(error.code).to.equal('ERR_ENVIRONMENT_FILE');
    expect(error.message).to.include(file);
  });
});

describe('readEnvironmentFolder', () => {
  afterEach(() => folders.removeAll());

  it('reads .env and then all other files in the order of names, and names the skipped ones', async () => {
    const folder = await folders.make();
    await writeFile(path.join(folder, 'b.env'), 'A=b\nB=b\n');
    await writeFile(path.join(folder, 'a.env'), 'A=a\nC=a\n');
    await writeFile(path.join(folder, '.env'), 'A=first\nD=d\n');
    for (const name of ['.hidden', '.env.local', '.hidden.env', 'b.env~']) {
      await writeFile(path.join(folder, name), 'A=hidden\n');
    }
    await mkdir(path.join(folder, 'inner'));
    await symlink(path.join(folder, 'a.env'), path.join(folder, 'c.env'));
    const { variables, warnings } = await readEnvironmentFolder(folder);
    expect(Object.fromEntries(variables)).to.deep.equal({ A: 'a', B: 'b', C: 'a', D: 'd' });
    expect(warnings).to.have.lengthOf(1);
    expect(warnings[0]).to.match(/"\.env\.local", "\.hidden", "\.hidden\.env", "b\.env~", "inner" skipped/);
  });

  it('warns about unreadable files, and reads the others', async () => {
    const folder = await folders.make();
    await writeFile(path.join(folder, 'a.env'), 'A=a\n');
    await symlink(path.join(folder, 'nowhere'), path.join(folder, 'b.env'));
    await mkdir(path.join(folder, 'real'));
    await symlink(path.join(folder, 'real'), path.join(folder, 'c.env'));
    const { variables, warnings } = await readEnvironmentFolder(folder);
    expect(Object.fromEntries(variables)).to.deep.equal({ A: 'a' });
    expect(warnings).to.have.lengthOf(3);
  });

  it('rejects a folder that does not exist', async () => {
    const folder = path.join(await folders.make(), 'gone');
    const error = await caught(() => readEnvironmentFolder(folder));
    expect(error).to.have.property('code', 'ERR_ENVIRONMENT_FILE');
    expect(error.message).to.include(folder);
  });

  it('rejects a file', async () => {
    const file = path.join(await folders.make(), 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    expect(await caught(() => readEnvironmentFolder(file))).to.have.property('code', 'ERR_ENVIRONMENT_FILE');
  });
});

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { readEnvironmentFile, readEnvironmentFolder } from '../../src/run/steps/read-environment.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

describe('readEnvironmentFile', () => {
  afterEach(() => folders.removeAll());

  it('says which file cannot be read', async () => {
    const file = path.join(await folders.make(), 'gone.env');
    const error = await caught(() => readEnvironmentFile(file));
    expect(error.code).to.equal('ERR_ENVIRONMENT_FILE');
    expect(error.message).to.include(file);
  });
});

describe('readEnvironmentFolder', () => {
  afterEach(() => folders.removeAll());

  it('reads regular files by name; hidden ones and folders count for nothing', async () => {
    const folder = await folders.make();
    await writeFile(path.join(folder, 'b.env'), 'A=b\nB=b\n');
    await writeFile(path.join(folder, 'a.env'), 'A=a\nC=a\n');
    await writeFile(path.join(folder, '.hidden'), 'A=hidden\n');
    await mkdir(path.join(folder, 'inner'));
    await symlink(path.join(folder, 'a.env'), path.join(folder, 'c.env'));
    const { variables, warnings } = await readEnvironmentFolder(folder);
    expect(Object.fromEntries(variables)).to.deep.equal({ A: 'a', B: 'b', C: 'a' });
    expect(warnings).to.deep.equal([]);
  });

  it('warns about what cannot be read, and goes on', async () => {
    const folder = await folders.make();
    await writeFile(path.join(folder, 'a.env'), 'A=a\n');
    await symlink(path.join(folder, 'nowhere'), path.join(folder, 'b.env'));
    await mkdir(path.join(folder, 'real'));
    await symlink(path.join(folder, 'real'), path.join(folder, 'c.env'));
    const { variables, warnings } = await readEnvironmentFolder(folder);
    expect(Object.fromEntries(variables)).to.deep.equal({ A: 'a' });
    expect(warnings).to.have.lengthOf(2);
  });

  it('is empty for a folder that is not there', async () => {
    const { variables, warnings } = await readEnvironmentFolder(path.join(await folders.make(), 'gone'));
    expect(variables.size + warnings.length).to.equal(0);
  });

  it('refuses a folder that is a file', async () => {
    const file = path.join(await folders.make(), 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    expect(await caught(() => readEnvironmentFolder(file))).to.have.property('code', 'ERR_ENVIRONMENT_FILE');
  });
});

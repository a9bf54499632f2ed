import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  parseEnvironmentFile,
  readEnvironmentFile,
  readEnvironmentFolder,
} from '../../src/parse/environment-file.ts';
import { caught } from '../support/caught.ts';
import { TemporaryFolders } from '../support/temporary-folders.ts';

const folders = new TemporaryFolders();

describe('parseEnvironmentFile', () => {
  it('reads lines, comments, exports and empty lines', () => {
    const text = '\uFEFF# keys\n\nA=1\r\nexport B=two words\n  C = x=y \nD=\n#E=1\nA=2\nQ="quoted"\n';
    expect([...parseEnvironmentFile(text, 'x.env')]).to.deep.equal([
      ['A', '2'],
      ['B', 'two words'],
      ['C', 'x=y'],
      ['D', ''],
      ['Q', '"quoted"'],
    ]);
  });

  it('names file and line of a mistake, and shows nothing of it', async () => {
    const error = await caught(() => parseEnvironmentFile('A=1\nMIIEpAIBAAKCAQEA\n', 'keys.env'));
    expect(error.code).to.equal('ERR_ENVIRONMENT_VARIABLE');
    expect(error.message).to.include('keys.env:2').and.not.to.include('MIIE');
  });

  it('reads back every plain variable', () => {
    const plain = fc.dictionary(
      fc.stringMatching(/^[A-Z_]{1,8}$/),
      fc.stringMatching(/^(?:[!-~](?:[ -~]*[!-~])?)?$/),
    );
    fc.assert(
      fc.property(plain, (variables) => {
        const text = Object.entries(variables)
          .map(([key, value]) => `${key}=${value}\n`)
          .join('');
        expect(Object.fromEntries(parseEnvironmentFile(text, 'x'))).to.deep.equal({ ...variables });
      }),
    );
  });
});

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

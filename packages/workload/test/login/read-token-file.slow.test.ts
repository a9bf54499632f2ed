import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { readTokenFile } from '../../src/login/read-token-file.ts';

const FLAG = '--remote-auth-bearer-token-file';

describe('readTokenFile', () => {
  const folders = new TemporaryFolders();
  let file: string;
  beforeEach(async () => {
    file = path.join(await folders.make(), 'token');
  });
  afterEach(() => folders.removeAll());

  it('returns the text without the final line end', async () => {
    await writeFile(file, 'a-token\r\n');
    expect(await readTokenFile(file, FLAG)).to.equal('a-token');
  });

  it('rejects a folder, and a named pipe without a writer at once', async () => {
    const pipe = (): unknown => execFileSync('mkfifo', [file]);
    const places: readonly (() => unknown)[] = [() => mkdir(file), pipe];
    for (const prepare of process.platform === 'win32' ? places.slice(0, 1) : places) {
      file = path.join(await folders.make(), 'token');
      await prepare();
      const error = await caught(() => readTokenFile(file, FLAG));
      expect(error).to.include({ code: 'ERR_TOKEN_FILE' });
      expect(error.message).to.include(`${FLAG}, ${file}, `);
    }
  });
});

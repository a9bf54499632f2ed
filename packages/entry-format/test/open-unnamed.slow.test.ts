import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openAndUnlink, openUnnamed } from '../src/open-unnamed.ts';
import { skipTest } from '../../../test/support/skip-suite.ts';

const KILLS = 3;

async function firstLine(file: FileHandle): Promise<string | undefined> {
  for await (const line of file.readLines({ start: 0, autoClose: false })) return line;
  return undefined;
}

describe('openUnnamed', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-unnamed-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const [title, open] of Object.entries({ openUnnamed, openAndUnlink })) {
    it(`opens a file without a name that only this user can read (${title})`, async () => {
      const file = await open(folder);
      try {
        await file.writeFile('kept\nmore\n');
        expect(await readdir(folder)).to.deep.equal([]);
        expect(await firstLine(file)).to.equal('kept');
        const { mode, nlink } = await file.stat();
        expect({ mode: mode & 0o777, nlink }).to.deep.equal({ mode: 0o600, nlink: 0 });
      } finally {
        await file.close();
      }
    });
  }

  it('leaves other files in the folder unchanged, also one with a similar name', async () => {
    const others = ['portolan-0b5f.part', 'portolan-sync-0b5f', 'x'];
    for (const name of others) await writeFile(join(folder, name), 'of somebody else');
    await (await openUnnamed(folder)).close();
    await (await openAndUnlink(folder)).close();
    expect((await readdir(folder)).toSorted()).to.deep.equal(others);
  });

  it('throws the system error for a folder that is not writable', async () => {
    const missing = join(folder, 'missing');
    const error = await openUnnamed(missing).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'ENOENT' });
  });

  it('leaves no file after kill -9', async function () {
    // Elsewhere a file has a name for a moment.
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    this.timeout(180_000);
    const script = join(import.meta.dirname, 'support/opening-process.ts');
    for (let run = 0; run < KILLS; run += 1) {
      const child = spawn(process.execPath, ['--conditions=@portolan/source', script, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await exited;
    }
    expect(await readdir(folder)).to.deep.equal([]);
  });
});

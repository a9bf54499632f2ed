import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readSmallFile, readSmallFileSync } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { skipTest } from '../../../test/support/skip-suite.ts';

const WAYS = [
  [
    'readSmallFile',
    (file: string, maxBytes?: number) => readSmallFile(file, { ...(maxBytes && { maxBytes }) }),
  ],
  ['readSmallFileSync', async (file: string, maxBytes?: number) => readSmallFileSync(file, maxBytes)],
] as const;

for (const [name, read] of WAYS) {
  describe(name, () => {
    let folder: string;
    let file: string;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-test-'));
      file = path.join(folder, 'file');
    });
    afterEach(() => rm(folder, { recursive: true }));

    const codeOf = async (which: string, maxBytes?: number): Promise<unknown> => {
      const error: unknown = await read(which, maxBytes).catch((reason: unknown) => reason);
      return Object(error).code;
    };

    for (const text of ['', 'a', 'ä\n'.repeat(100_000)]) {
      it(`readSmallFile › returns a text of ${text.length} characters`, async () => {
        await writeFile(file, text);
        expect(await read(file)).to.equal(text);
      });
    }

    it('readSmallFile › reads up to the exact limit of bytes', async () => {
      await writeFile(file, 'x'.repeat(70_000));
      expect(await read(file, 70_000)).to.have.length(70_000);
      expect(await codeOf(file, 69_999)).to.equal('EFBIG');
    });

    it('readSmallFile › stops reading an endless device at the limit', async function () {
      if (!existsSync('/dev/zero')) skipTest(this, 'no /dev/zero on this machine');
      expect(await codeOf('/dev/zero')).to.equal('EFBIG');
    });

    it('readSmallFile › waits for data of a pipe', async function () {
      if (process.platform === 'win32') skipTest(this, 'no named pipes as files on this system');
      execFileSync('mkfifo', [file]);
      const writer = spawn('sh', ['-c', `sleep 0.2; printf slow > "$1"`, 'sh', file]);
      const ended = once(writer, 'exit');
      expect(await read(file)).to.equal('slow');
      await ended;
    });

    it('readSmallFile › throws the system error for a folder and a missing file', async () => {
      expect(await codeOf(folder)).to.equal('EISDIR');
      expect(await codeOf(file)).to.equal('ENOENT');
    });
  });
}

describe('readSmallFile with a signal', () => {
  it('leaves no file open when the signal is aborted before the call', async function () {
    if (!existsSync('/proc/self/fd')) skipTest(this, 'this system has no /proc/self/fd');
    const openFiles = () => readdirSync('/proc/self/fd').map(targetOf);
    for (let count = 0; count < 20; count += 1) {
      const error: unknown = await readSmallFile(import.meta.filename, { signal: AbortSignal.abort() }).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.include({ name: 'AbortError' });
    }
    expect(openFiles().filter((file) => file === import.meta.filename)).to.deep.equal([]);
  });

  it('leaves no file open when the signal is aborted during the call', async function () {
    if (!existsSync('/proc/self/fd')) skipTest(this, 'this system has no /proc/self/fd');
    const ending = new AbortController();
    const reading = readSmallFile(import.meta.filename, { signal: ending.signal });
    ending.abort();
    expect(await reading.catch((reason: unknown) => reason)).to.include({ name: 'AbortError' });
    await eventually(() => {
      const left = readdirSync('/proc/self/fd').map(targetOf);
      expect(left).to.not.include(import.meta.filename);
    });
  });
});

function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // The descriptor of the listing itself is closed by now.
    return undefined;
  }
}

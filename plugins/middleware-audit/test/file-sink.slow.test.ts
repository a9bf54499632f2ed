import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createRecordingLogger, leavesNothingOpen, type RecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { type FileSink, openFileSink } from '../src/file-sink.ts';
import { listRenamedFiles, rotateFile } from '../src/rotate-file.ts';
import { useTemporaryFolder } from './temporary-folder.ts';
import { skipTest } from '../../../test/support/skip-suite.ts';

/** The beginning of every audit line. */
const HEAD = '{"time":"2026-01-01T00:00:00.000Z","level":"AUDIT","msg":"audit_event",';

describe('openFileSink', () => {
  const folder = useTemporaryFolder();
  let file: string;
  let logger: RecordingLogger;
  let sinks: FileSink[];
  beforeEach(() => {
    file = join(folder(), 'audit.log');
    logger = createRecordingLogger();
    sinks = [];
  });
  afterEach(() => Promise.all(sinks.map((sink) => sink.close())));

  async function open(options: { maxFileSize?: number; maxFiles?: number } = {}): Promise<FileSink> {
    const sink = await openFileSink(file, { maxFileSize: 0, maxFiles: 3, logger, ...options });
    sinks.push(sink);
    return sink;
  }

  async function append(sink: FileSink, text: string): Promise<void> {
    expect(await sink.append(Buffer.from(text))).to.deep.equal({ bytes: Buffer.byteLength(text) });
  }

  const text = (path = file) => readFile(path, 'utf8');

  async function faultOfOpening(): Promise<{ readonly code: string; readonly message: string }> {
    return await open().then(
      () => expect.fail('it was opened'),
      (error: { code: string; message: string }) => error,
    );
  }

  it('creates the file with permissions for its owner only', async () => {
    await open();
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(logger.lines).to.deep.equal([]);
  });

  it('appends to an existing file', async () => {
    await writeFile(file, `${HEAD}}\n`, { mode: 0o600 });
    await append(await open(), 'new\n');
    expect(await text()).to.equal(`${HEAD}}\nnew\n`);
  });

  it('appends to an empty file from logrotate', async () => {
    await writeFile(file, '', { mode: 0o640 });
    await append(await open(), 'new\n');
    expect(await text()).to.equal('new\n');
  });

  it('appends to a file whose first line a full disk truncated', async () => {
    await writeFile(file, HEAD.slice(0, 30), { mode: 0o600 });
    await append(await open(), 'new\n');
    expect(await text()).to.equal(`${HEAD.slice(0, 30)}\nnew\n`);
  });

  it('warns about a file that others may read, and uses it', async () => {
    await writeFile(file, '');
    await chmod(file, 0o640);
    await append(await open(), 'a\n');
    expect(logger.lines.map(({ level, fields }) => [level, fields])).to.deep.equal([
      ['warn', { file, mode: '0640', expected: '0600' }],
    ]);
    expect((await stat(file)).mode & 0o777).to.equal(0o640);
  });

  it('ends an incomplete last line', async () => {
    await writeFile(file, `${HEAD}"a":1}\n{"b":`, { mode: 0o600 });
    const sink = await open();
    await append(sink, '{"c":3}\n');
    await append(sink, '{"d":4}\n');
    expect(await text()).to.equal(`${HEAD}"a":1}\n{"b":\n{"c":3}\n{"d":4}\n`);
  });

  it('leaves a line alone that another process is writing', async () => {
    await writeFile(file, `${HEAD}"b":`, { mode: 0o600 });
    const sink = await open();
    await appendFile(file, '2}\n');
    await append(sink, '{"c":3}\n');
    expect(await text()).to.equal(`${HEAD}"b":2}\n{"c":3}\n`);
  });

  describe('unusable paths', () => {
    for (const [title, content, mode] of [
      ['a shell profile', 'export PATH=/usr/bin\n', 0o644],
      ['a file of keys', 'ssh-ed25519 AAAA user@host\n', 0o600],
      ['an empty file that others may read', '', 0o644],
      [
        'a file of other JSON lines',
        '{"time":"2026-01-01T00:00:00.000Z","level":"info","msg":"a long line of a log that is not ours at all"}\n',
        0o600,
      ],
      ['an audit line behind another line', `x\n${HEAD}}\n`, 0o600],
    ] as const) {
      it(`refuses ${title}, and leaves it unchanged`, async () => {
        await writeFile(file, content);
        await chmod(file, mode);
        await leavesNothingOpen(async () => {
          expect(await faultOfOpening()).to.deep.include({ code: 'ERR_AUDIT_FILE' });
        });
        expect(await text()).to.equal(content);
      });
    }

    it('refuses a path in a missing folder, and names the folder', async () => {
      file = join(folder(), 'missing', 'audit.log');
      const { code, message } = await faultOfOpening();
      expect(code).to.equal('ERR_AUDIT_FILE');
      expect(message)
        .to.include('nothing')
        .and.to.include(`"${join(folder(), 'missing')}"`);
    });

    it('refuses a file in place of the folder', async () => {
      await writeFile(file, '');
      file = join(file, 'audit.log');
      expect((await faultOfOpening()).message).to.include('a file');
    });

    it('refuses a symbolic link, even a dangling one', async () => {
      const target = join(folder(), 'target');
      await symlink(target, file);
      expect(await faultOfOpening()).to.include({ code: 'ERR_AUDIT_FILE' });
      await writeFile(target, '');
      expect((await faultOfOpening()).message).to.include('symbolic link');
      expect(await text(target)).to.equal('');
    });

    it('refuses a folder', async () => {
      await mkdir(file);
      expect((await faultOfOpening()).message).to.include('a folder');
    });

    it('refuses a pipe, without waiting for its reader', async function () {
      if (process.platform === 'win32') skipTest(this, 'Windows has no such pipes');
      execFileSync('mkfifo', [file]);
      await leavesNothingOpen(async () => {
        expect((await faultOfOpening()).message).to.include('a pipe');
      });
    });
  });

  describe('reopen', () => {
    it('continues in a new file after the old one was renamed', async () => {
      const sink = await open();
      await append(sink, 'a\n');
      await rename(file, `${file}.1`);
      await append(sink, 'b\n');
      await sink.reopen();
      await append(sink, 'c\n');
      expect([await text(`${file}.1`), await text()]).to.deep.equal(['a\nb\n', 'c\n']);
    });

    it('continues after the file was copied and truncated', async () => {
      const sink = await open({ maxFileSize: 100 });
      await append(sink, `${'a'.repeat(90)}\n`);
      await copyFile(file, `${file}.1`);
      await truncate(file);
      await append(sink, `${'b'.repeat(90)}\n`);
      expect([await text(`${file}.1`), await text()]).to.deep.equal([
        `${'a'.repeat(90)}\n`,
        `${'b'.repeat(90)}\n`,
      ]);
      expect(await readdir(folder())).to.have.length(2);
    });

    it('keeps the old file if the new one cannot be opened, and leaks no descriptor', async () => {
      const sink = await open();
      await append(sink, 'a\n');
      await rename(file, `${file}.1`);
      await mkdir(file);
      await leavesNothingOpen(async () => {
        const error = await sink.reopen().catch((reason: unknown) => reason);
        expect(error).to.include({ code: 'ERR_AUDIT_FILE' });
      });
      await append(sink, 'b\n');
      expect(await text(`${file}.1`)).to.equal('a\nb\n');
    });
  });

  describe('with maxFileSize', () => {
    /** An audit line of 100 bytes. */
    const line = (letter: string) => `${HEAD}"${letter.repeat(96 - HEAD.length)}"}\n`;

    /** The content of the renamed files, oldest first, and of the file itself. */
    async function contents(): Promise<readonly string[]> {
      return await Promise.all([...(await listRenamedFiles(file)), file].map((name) => text(name)));
    }

    it('renames a full file, and keeps the newest ones', async () => {
      const sink = await open({ maxFileSize: 200, maxFiles: 2 });
      for (const letter of 'abcdefg') await append(sink, line(letter));
      expect(await contents()).to.deep.equal([line('c') + line('d'), line('e') + line('f'), line('g')]);
      expect(await readdir(folder())).to.have.length(3);
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
    });

    it('writes a line larger than the maximum to its own file', async () => {
      const sink = await open({ maxFileSize: 10 });
      for (const letter of 'ab') await append(sink, line(letter));
      expect(await contents()).to.deep.equal([line('a'), line('b')]);
    });

    it('splits a batch of lines so that no file exceeds the maximum', async () => {
      const sink = await open({ maxFileSize: 250, maxFiles: 9 });
      const lines = Array.from('abcdefg', line);
      await append(sink, line('0'));
      await append(sink, lines.join(''));
      const found = await contents();
      expect(found.map((content) => content.length)).to.deep.equal([200, 200, 200, 200]);
      expect(found.join('')).to.equal(line('0') + lines.join(''));
    });

    it('keeps the order of lines of any length, and exceeds the maximum by at most one line', async () => {
      const batches = fc.array(fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 8 }));
      let runs = 0;
      const holds = async (lengths: readonly (readonly number[])[]): Promise<void> => {
        runs += 1;
        file = join(folder(), `run-${runs}`, 'audit.log');
        await mkdir(join(folder(), `run-${runs}`));
        const sink = await openFileSink(file, { maxFileSize: 100, maxFiles: 1000, logger });
        const written = lengths.map((batch) => batch.map((length) => `${'x'.repeat(length)}\n`));
        for (const batch of written) await append(sink, batch.join(''));
        await sink.close();
        const found = await contents();
        expect(found.join('')).to.equal(written.flat().join(''));
        for (const content of found) {
          expect(content.length <= 100 || content.indexOf('\n') === content.length - 1).to.equal(true);
        }
      };
      await fc.assert(fc.asyncProperty(batches, holds), { numRuns: 30 });
    });

    it('includes the existing size of the file', async () => {
      await writeFile(file, line('a') + line('b'), { mode: 0o600 });
      await append(await open({ maxFileSize: 200 }), line('c'));
      expect(await contents()).to.deep.equal([line('a') + line('b'), line('c')]);
    });

    it('continues in the same file when the rename fails, and reports it', async () => {
      file = join(folder(), 'a'.repeat(250)); // no room for a longer name
      const sink = await open({ maxFileSize: 100, maxFiles: 1 });
      for (const letter of 'abc') await append(sink, line(letter));
      expect(await text()).to.equal(line('a') + line('b') + line('c'));
      expect(logger.lines.map(({ level }) => level)).to.deep.equal(['error', 'error']);
    });

    it('leaves the new file of another process unchanged', async () => {
      const first = await open({ maxFileSize: 200 });
      const second = await open({ maxFileSize: 200 });
      for (const letter of 'abc') await append(first, line(letter));
      await append(second, line('d'));
      expect(await contents()).to.deep.equal([line('a') + line('b'), line('c') + line('d')]);
    });
  });

  describe('rotateFile', () => {
    it('replaces no file when two processes rename concurrently', async () => {
      // The other process has renamed the full file and begun a new one between the check and the rename.
      await writeFile(file, 'full\n');
      await rotateFile(file, 9);
      await writeFile(file, 'new\n');
      await rotateFile(file, 9);
      await rotateFile(file, 9); // nothing is left to rename
      expect(await Promise.all((await listRenamedFiles(file)).map((name) => text(name)))).to.deep.equal([
        'full\n',
        'new\n',
      ]);
    });

    it('removes only files that it has renamed', async () => {
      const others = ['audit.log.1', 'audit.log.2.gz', 'audit.log.20260101T000000.000Z', 'audit.log-2026'];
      for (const name of others) await writeFile(join(folder(), name), '');
      for (const content of ['a', 'b', 'c']) {
        await writeFile(file, content);
        await rotateFile(file, 1);
      }
      const [kept = ''] = await listRenamedFiles(file);
      expect(await text(kept)).to.equal('c');
      expect((await readdir(folder())).toSorted()).to.deep.equal([...others, basename(kept)].toSorted());
    });
  });

  it('returns the number of written bytes and the error of a full disk', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    file = '/dev/full';
    const { bytes, error } = await (await open()).append(Buffer.from('a\nb\n'));
    expect(bytes).to.equal(0);
    expect(error).to.include({ code: 'ENOSPC' });
  });
});

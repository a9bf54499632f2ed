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
import { join } from 'node:path';
import { createRecordingLogger, leavesNothingOpen, type RecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { type FileSink, openFileSink } from '../src/file-sink.ts';
import { rotateFiles } from '../src/rotate-files.ts';
import { useTemporaryFolder } from './temporary-folder.ts';
import { skipTest } from '../../../test/support/skip-suite.ts';

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

  it('makes the file for its owner alone', async () => {
    await open();
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(logger.lines).to.deep.equal([]);
  });

  it('appends to a file that is there', async () => {
    await writeFile(file, 'old\n', { mode: 0o600 });
    await append(await open(), 'new\n');
    expect(await text()).to.equal('old\nnew\n');
  });

  it('warns of a file that others may read, and uses it', async () => {
    await writeFile(file, '');
    await chmod(file, 0o640);
    await append(await open(), 'a\n');
    expect(logger.lines.map(({ level, fields }) => [level, fields])).to.deep.equal([
      ['warn', { file, mode: '0640', expected: '0600' }],
    ]);
    expect((await stat(file)).mode & 0o777).to.equal(0o640);
  });

  it('ends a line that somebody has left unfinished', async () => {
    await writeFile(file, '{"a":1}\n{"b":', { mode: 0o600 });
    const sink = await open();
    await append(sink, '{"c":3}\n');
    await append(sink, '{"d":4}\n');
    expect(await text()).to.equal('{"a":1}\n{"b":\n{"c":3}\n{"d":4}\n');
  });

  it('leaves a line alone that somebody was writing', async () => {
    await writeFile(file, '{"b":', { mode: 0o600 });
    const sink = await open();
    await appendFile(file, '2}\n');
    await append(sink, '{"c":3}\n');
    expect(await text()).to.equal('{"b":2}\n{"c":3}\n');
  });

  describe('refuses', () => {
    it('a folder that is missing, naming it', async () => {
      file = join(folder(), 'missing', 'audit.log');
      const { code, message } = await faultOfOpening();
      expect(code).to.equal('ERR_AUDIT_FOLDER');
      expect(message)
        .to.include('nothing')
        .and.to.include(`"${join(folder(), 'missing')}"`);
    });

    it('a file in place of the folder', async () => {
      await writeFile(file, '');
      file = join(file, 'audit.log');
      expect((await faultOfOpening()).message).to.include('a file');
    });

    it('a symbolic link, even one that leads nowhere', async () => {
      const target = join(folder(), 'target');
      await symlink(target, file);
      expect(await faultOfOpening()).to.include({ code: 'ERR_AUDIT_FILE' });
      await writeFile(target, '');
      expect((await faultOfOpening()).message).to.include('symbolic link');
      expect(await text(target)).to.equal('');
    });

    it('a folder', async () => {
      await mkdir(file);
      expect((await faultOfOpening()).message).to.include('a folder');
    });

    it('a pipe, without waiting for its reader', async function () {
      if (process.platform === 'win32') skipTest(this, 'Windows has no such pipes');
      execFileSync('mkfifo', [file]);
      await leavesNothingOpen(async () => {
        expect((await faultOfOpening()).message).to.include('a pipe');
      });
    });
  });

  describe('reopen', () => {
    it('goes on in a new file after the old one was renamed', async () => {
      const sink = await open();
      await append(sink, 'a\n');
      await rename(file, `${file}.1`);
      await append(sink, 'b\n');
      await sink.reopen();
      await append(sink, 'c\n');
      expect([await text(`${file}.1`), await text()]).to.deep.equal(['a\nb\n', 'c\n']);
    });

    it('goes on after the file was copied and cut', async () => {
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

    it('keeps the old file when there is no new one, and leaks none', async () => {
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
    const line = (letter: string) => `${letter.repeat(39)}\n`;

    it('renames a full file, and keeps so many', async () => {
      const sink = await open({ maxFileSize: 80, maxFiles: 2 });
      for (const letter of 'abcdefg') await append(sink, line(letter));
      expect((await readdir(folder())).toSorted()).to.deep.equal(['audit.log', 'audit.log.1', 'audit.log.2']);
      expect([await text(`${file}.2`), await text(`${file}.1`), await text()]).to.deep.equal([
        line('c') + line('d'),
        line('e') + line('f'),
        line('g'),
      ]);
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
    });

    it('writes a line that is larger than a file may be into a file of its own', async () => {
      const sink = await open({ maxFileSize: 10 });
      for (const letter of 'ab') await append(sink, line(letter));
      expect([await text(`${file}.1`), await text()]).to.deep.equal([line('a'), line('b')]);
    });

    it('divides lines that come together, so that no file is larger', async () => {
      const sink = await open({ maxFileSize: 100, maxFiles: 9 });
      const lines = Array.from('abcdefg', line);
      await append(sink, line('0'));
      await append(sink, lines.join(''));
      const names = (await readdir(folder())).toSorted();
      expect(names).to.deep.equal(['audit.log', 'audit.log.1', 'audit.log.2', 'audit.log.3']);
      const [first, second, third, last] = await Promise.all(
        names.toReversed().map((name) => text(join(folder(), name))),
      );
      expect([first, second, third, last].map((content) => content?.length)).to.deep.equal([80, 80, 80, 80]);
      expect(`${first}${second}${third}${last}`).to.equal(line('0') + lines.join(''));
    });

    it('keeps the order of lines of any length, and makes no file larger than one line needs', async () => {
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
        const numbers = (await readdir(join(file, '..')))
          .map((name) => Number(name.split('.')[2] ?? 0))
          .toSorted((left, right) => right - left);
        const contents = await Promise.all(
          numbers.map((number) => text(number === 0 ? file : `${file}.${number}`)),
        );
        expect(contents.join('')).to.equal(written.flat().join(''));
        for (const content of contents) {
          expect(content.length <= 100 || content.indexOf('\n') === content.length - 1).to.equal(true);
        }
      };
      await fc.assert(fc.asyncProperty(batches, holds), { numRuns: 30 });
    });

    it('counts what stood in the file before', async () => {
      await writeFile(file, line('a') + line('b'), { mode: 0o600 });
      await append(await open({ maxFileSize: 80 }), line('c'));
      expect([await text(`${file}.1`), await text()]).to.deep.equal([line('a') + line('b'), line('c')]);
    });

    it('goes on in the same file when it cannot be renamed, and says so', async () => {
      await mkdir(`${file}.1`);
      const sink = await open({ maxFileSize: 40, maxFiles: 1 });
      for (const letter of 'abc') await append(sink, line(letter));
      expect(await text()).to.equal(line('a') + line('b') + line('c'));
      expect(logger.lines.map(({ level }) => level)).to.deep.equal(['error', 'error']);
    });

    it('leaves the new file of another process alone', async () => {
      const first = await open({ maxFileSize: 80 });
      const second = await open({ maxFileSize: 80 });
      for (const letter of 'abc') await append(first, line(letter));
      await append(second, line('d'));
      expect((await readdir(folder())).toSorted()).to.deep.equal(['audit.log', 'audit.log.1']);
      expect([await text(`${file}.1`), await text()]).to.deep.equal([
        line('a') + line('b'),
        line('c') + line('d'),
      ]);
    });
  });

  describe('rotateFiles', () => {
    it('loses nothing after it was broken off at any place', async () => {
      // Left of the dot: what stood there before; the process ended after some of the renames.
      const states = [
        ['0', '1', '2'],
        ['0', '1', undefined, '2'],
        ['0', undefined, '1', '2'],
        [undefined, '0', '1', '2'],
      ];
      for (const [index, state] of states.entries()) {
        const base = join(folder(), `state-${index}`);
        const pathOf = (number: number) => (number === 0 ? base : `${base}.${number}`);
        for (const [number, content] of state.entries()) {
          if (content !== undefined) await writeFile(pathOf(number), content);
        }
        await rotateFiles(base, 9);
        const names = (await readdir(folder())).filter((name) => name.startsWith(`state-${index}`));
        const contents = await Promise.all(names.toSorted().map((name) => text(join(folder(), name))));
        expect(contents, `state ${index}`).to.deep.equal(['0', '1', '2']);
        expect(names).not.to.include(`state-${index}`);
      }
    });
  });

  it('says what it could not write', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    file = '/dev/full';
    const { bytes, error } = await (await open()).append(Buffer.from('a\nb\n'));
    expect(bytes).to.equal(0);
    expect(error).to.include({ code: 'ENOSPC' });
  });
});

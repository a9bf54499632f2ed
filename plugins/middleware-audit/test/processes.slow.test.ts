import { execFile, spawn } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readLines } from './access-record.ts';
import { useTemporaryFolder } from './temporary-folder.ts';
import { skipSuite, skipTest } from '../../../test/support/skip-suite.ts';

const run = promisify(execFile);
const CONDITION = '--conditions=@portolan/source';

function scriptOf(name: string): string {
  return join(import.meta.dirname, name);
}

describe('audit log of several processes', function () {
  this.timeout(180_000); // starts Node.js

  const folder = useTemporaryFolder();

  it('contains whole lines in order when two processes write to one file', async () => {
    const file = join(folder(), 'audit.log');
    const script = scriptOf('write-audit-lines.ts');
    const write = (name: string) => run(process.execPath, [CONDITION, script, file, name, '500']);
    await Promise.all([write('a'), write('b')]);
    const lines = readLines(await readFile(file, 'utf8'));
    expect(lines).to.have.length(1000);
    for (const name of ['a', 'b']) {
      const indexes = lines.filter((line) => line['name'] === name).map((line) => line['index']);
      expect(indexes).to.deep.equal(Array.from({ length: 500 }, (_, index) => index));
    }
  });

  it('loses no line when three processes write and rotate', async () => {
    const file = join(folder(), 'audit.log');
    const script = scriptOf('write-audit-lines.ts');
    const write = (name: string) => run(process.execPath, [CONDITION, script, file, name, '400', '32768']);
    await Promise.all(['a', 'b', 'c'].map(write));
    const names = await readdir(folder());
    const texts = await Promise.all(names.map((name) => readFile(join(folder(), name), 'utf8')));
    const lines = texts.flatMap(readLines);
    expect(names.length).to.be.greaterThan(20);
    for (const name of ['a', 'b', 'c']) {
      const indexes = lines.filter((line) => line['name'] === name).map((line) => Number(line['index']));
      expect(indexes.toSorted((one, other) => one - other)).to.deep.equal(
        Array.from({ length: 400 }, (_, index) => index),
      );
    }
  });

  it('contains calls that had completed when the process ended, before their lines were formatted', async () => {
    const file = join(folder(), 'audit.log');
    await run(process.execPath, [CONDITION, scriptOf('write-calls-and-end.ts'), file, '3']);
    const types = readLines(await readFile(file, 'utf8')).map((line) => line['type']);
    expect(types).to.deep.equal(['mcp_tool_call', 'mcp_tool_call', 'mcp_tool_call']);
  });

  describe('on a full disk', () => {
    before(async function () {
      if (process.platform !== 'linux') skipSuite(this, 'only on Linux');
      await run('prlimit', ['--version']).catch(() => skipSuite(this, 'prlimit is not installed'));
    });

    async function writePastTheLimit(what: string): Promise<{ file: string; told: unknown }> {
      const file = join(folder(), 'audit.log');
      const limited = `trap '' XFSZ; ulimit -S -f 1; exec "$@"`;
      const command = [process.execPath, CONDITION, scriptOf('write-past-the-limit.ts'), file, what];
      const { stdout } = await run('bash', ['-c', limited, 'bash', ...command]);
      return { file, told: JSON.parse(stdout) };
    }

    const a = 'a'.repeat(699);
    const b = 'b'.repeat(699);
    const c = 'c'.repeat(699);
    const torn = 'b'.repeat(1024 - 700);
    const attempts = [
      [700, 'EFBIG'],
      [0, 'EFBIG'],
      [1400, null],
    ];

    it('resumes in the middle of a partly written line when there is space again', async () => {
      const { file, told } = await writePastTheLimit('');
      expect(await readFile(file, 'utf8')).to.equal(`${a}\n${b}\n${c}\n`);
      expect(told).to.deep.equal(attempts);
    });

    it('writes the line again when another process has written meanwhile', async () => {
      const { file, told } = await writePastTheLimit('others');
      expect(await readFile(file, 'utf8')).to.equal(`${a}\n${torn}${'x'.repeat(9)}\n\n${b}\n${c}\n`);
      expect(told).to.deep.equal(attempts);
    });

    it('writes the line again to a new file', async () => {
      const { file, told } = await writePastTheLimit('reopened');
      expect(await readFile(`${file}.1`, 'utf8')).to.equal(`${a}\n${torn}`);
      expect(await readFile(file, 'utf8')).to.equal(`${b}\n${c}\n`);
      expect(told).to.deep.equal(attempts);
    });
  });

  describe('on standard output', () => {
    const script = scriptOf('write-to-standard-output.ts');

    function idsIn(text: string): readonly unknown[] {
      return readLines(text).map((line) => {
        const { extra } = line['metadata'] as { extra: { request_id: string } }; // every line has it
        return extra.request_id;
      });
    }

    const ids = Array.from({ length: 300 }, (_, index) => `r-${index}`);

    it('writes one line per record to a pipe', async () => {
      const { stdout, stderr } = await run(process.execPath, [CONDITION, script, '300']);
      expect(idsIn(stdout)).to.deep.equal(ids);
      expect(stderr).to.equal('closed\n');
    });

    for (const end of ['', 'end']) {
      it(`writes one line per record to a file${end === '' ? '' : ' and the process ends at once'}`, async () => {
        const file = join(folder(), 'out');
        const handle = await open(file, 'w');
        const child = spawn(process.execPath, [CONDITION, script, '300', end], {
          stdio: ['ignore', handle.fd, 'ignore'],
        });
        const [status] = await new Promise<unknown[]>((resolve) =>
          child.on('exit', (...given) => resolve(given)),
        );
        await handle.close();
        expect(status).to.equal(0);
        expect([...new Set(idsIn(await readFile(file, 'utf8')))]).to.deep.equal(ids);
      });
    }

    it('keeps the process running when the reader has left', async () => {
      const child = spawn(process.execPath, [CONDITION, script, '300'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      const log = await textOf(child.stderr);
      expect(log)
        .to.include('EPIPE')
        .and.to.include('lines of the audit log are lost')
        .and.to.include('closed');
    });

    it('keeps the process running when the reader does not read', async () => {
      const child = spawn(process.execPath, [CONDITION, script, '3000'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const log = await textOf(child.stderr);
      child.stdout.destroy();
      expect(log).to.include('lines of the audit log are lost').and.to.include('closed');
    });

    it('keeps the process running on a full disk', async function () {
      if (process.platform !== 'linux') skipTest(this, 'only on Linux');
      const full = await open('/dev/full', 'w');
      const child = spawn(process.execPath, [CONDITION, script, '3'], { stdio: ['ignore', full.fd, 'pipe'] });
      const log = await textOf(child.stderr ?? expect.fail('it has no standard error'));
      await full.close();
      expect(log).to.include('ENOSPC').and.to.include('"lost":3').and.to.include('closed');
    });
  });
});

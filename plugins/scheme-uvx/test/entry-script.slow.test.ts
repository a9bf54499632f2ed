import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ENTRY_SCRIPT } from '../src/build-scripts.ts';

const run = promisify(execFile);

interface Result {
  readonly stdout: string;
  readonly stderr: string;
}

/** The script as a build runs it, with a folder of this machine for /opt/tools. */
describe('ENTRY_SCRIPT of uvx:// (uv 17779)', () => {
  let tools: string;
  let python: string;
  beforeEach(async () => {
    tools = await realpath(await mkdtemp(path.join(tmpdir(), 'portolan-entry-')));
    await run('python3', ['-m', 'venv', '--without-pip', path.join(tools, 'notes')]);
    python = path.join(tools, 'notes/bin/python');
  });
  afterEach(async () => {
    await rm(tools, { recursive: true });
  });

  /** Installs a project with one program for each entry point; `others` are programs of a dependency. */
  async function install(
    points: Readonly<Record<string, string>>,
    others: readonly string[] = [],
  ): Promise<void> {
    const { stdout } = await run(python, ['-c', 'import site; print(site.getsitepackages()[0])']);
    const info = path.join(stdout.trim(), 'notes-1.0.dist-info');
    await mkdir(info);
    await writeFile(path.join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n');
    const lines = Object.entries(points).map(([name, value]) => `${name} = ${value}`);
    await writeFile(path.join(info, 'entry_points.txt'), `[console_scripts]\n${lines.join('\n')}\n`);
    const files = Object.keys(points).map((name) => `../../../bin/${name},,`);
    await writeFile(path.join(info, 'RECORD'), files.join('\n'));
    for (const name of [...Object.keys(points), ...others]) {
      const file = path.join(tools, 'notes/bin', name);
      await writeFile(
        file,
        `#!${python}\nimport os, sys\nprint(os.path.basename(sys.argv[0]), *sys.argv[1:])\n`,
      );
      await chmod(file, 0o755);
    }
  }

  async function choose(program?: string): Promise<Result> {
    const script = ENTRY_SCRIPT.replaceAll('/opt/tools', tools);
    const words = ['-c', script, 'notes', ...(program === undefined ? [] : [program])];
    // What fails has both texts as well.
    return await run(python, words).catch((error: unknown) => error as Result);
  }

  async function start(...words: readonly string[]): Promise<string> {
    return (await run(path.join(tools, 'start'), [...words])).stdout.trim();
  }

  for (const { title, points, program, starts } of [
    { title: 'the only program', points: { serve: 'a:b' }, starts: 'serve' },
    {
      title: 'the program that is called like the project',
      points: { Notes: 'a:b', admin: 'a:c' },
      starts: 'Notes',
    },
    {
      title: 'the program that is named',
      points: { notes: 'a:b', admin: 'a:c' },
      program: 'admin',
      starts: 'admin',
    },
    {
      title: 'a program of a dependency that is named',
      points: { notes: 'a:b' },
      program: 'other',
      starts: 'other',
    },
    { title: 'one of several names of one entry point', points: { one: 'a:b', two: 'a:b' }, starts: 'one' },
  ]) {
    it(`starts ${title} under its own name`, async () => {
      await install(points, ['other']);
      expect(await choose(program)).to.deep.equal({ stdout: '', stderr: '' });
      expect(await start("it's", '$(id)')).to.equal(`${starts} it's $(id)`);
    });
  }

  it("starts the environment's Python for the program python", async () => {
    await install({ notes: 'a:b' });
    await choose('python');
    expect(await start('-c', 'import sys; print(sys.prefix)')).to.equal(path.join(tools, 'notes'));
  });

  for (const { title, points, program, says } of [
    {
      title: 'several programs, and none is named',
      points: { one: 'a:b', two: 'a:c' },
      says: 'notes has several programs, and none is called like it: one, two. Name one: uvx://notes#one',
    },
    {
      title: 'no program of the name',
      points: { one: 'a:b', two: 'a:c' },
      program: 'three',
      says: 'notes has no program three; its programs are: one, two',
    },
    { title: 'no program', points: {}, says: 'notes has no program that could be run' },
  ]) {
    it(`fails when the project has ${title}`, async () => {
      await install(points);
      expect((await choose(program)).stderr.trim()).to.equal(`portolan: ${says}`);
      expect(await readFile(path.join(tools, 'start')).catch(() => undefined)).to.equal(undefined);
    });
  }
});

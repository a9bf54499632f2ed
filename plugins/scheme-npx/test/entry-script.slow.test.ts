import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { ENTRY_SCRIPT } from '../src/entry-script.ts';

/** The script as a build runs it, with a folder of this machine for the image's /app. */
describe('ENTRY_SCRIPT', () => {
  let app: string;
  beforeEach(async () => {
    app = await realpath(await mkdtemp(path.join(tmpdir(), 'portolan-entry-')));
  });
  afterEach(async () => {
    await rm(app, { recursive: true });
  });

  async function install(name: string, bin: unknown, files: Readonly<Record<string, string>>): Promise<void> {
    const folder = path.join(app, 'node_modules', name);
    for (const [file, text] of Object.entries({ 'package.json': JSON.stringify({ name, bin }), ...files })) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
  }

  /** What it wrote to standard error, without its last line end; the start script is there when that is empty. */
  async function runFor(name: string, program?: string): Promise<string> {
    const script = ENTRY_SCRIPT.replaceAll('/app/', `${app}/`);
    return await new Promise((settle) => {
      execFile(
        process.execPath,
        ['-e', script, name, ...(program === undefined ? [] : [program])],
        (_error, _output, errors) => settle(errors.trim()),
      );
    });
  }

  async function startOf(name: string, program?: string): Promise<string> {
    expect(await runFor(name, program)).to.equal('');
    const file = path.join(app, 'start');
    expect((await stat(file)).mode & 0o777).to.equal(0o755);
    return (await readFile(file, 'utf8')).replaceAll(app, '/app');
  }

  const SHEBANG = '#!/usr/bin/env node\n';

  for (const { title, name, bin, file = 'server.js', first = SHEBANG, start } of [
    {
      title: 'the only program, whatever it is called',
      name: '@acme/notes',
      bin: { other: 'server.js' },
      start: "node '/app/node_modules/@acme/notes/server.js'",
    },
    {
      title: 'the program that is called like the package without its scope',
      name: '@acme/notes',
      bin: { notes: 'server.js', admin: 'admin.js' },
      start: "node '/app/node_modules/@acme/notes/server.js'",
    },
    {
      title: 'a program that is named by its file alone',
      name: 'notes',
      bin: './server.js',
      start: "node '/app/node_modules/notes/server.js'",
    },
    {
      title: 'Node with the flags of the first line',
      name: 'notes',
      bin: 'server.js',
      first: '#!/usr/bin/env -S node --no-warnings --experimental-x\n',
      start: "node '--no-warnings' '--experimental-x' '/app/node_modules/notes/server.js'",
    },
    {
      title: 'Node for a file without a first line of that kind',
      name: 'notes',
      bin: 'server.js',
      first: '',
      start: "node '/app/node_modules/notes/server.js'",
    },
    {
      title: 'any other program by itself',
      name: 'notes',
      bin: 'run.sh',
      file: 'run.sh',
      first: '#!/bin/sh\n',
      start: "'/app/node_modules/notes/run.sh'",
    },
    {
      title: 'a file whose name a shell would read',
      name: 'notes',
      bin: "it's $(id).js",
      file: "it's $(id).js",
      start: String.raw`node '/app/node_modules/notes/it'\''s $(id).js'`,
    },
  ]) {
    it(`starts ${title}`, async () => {
      await install(name, bin, { [file]: `${first}console.log(1);\n` });
      expect(await startOf(name)).to.equal(`#!/bin/sh\nexec ${start} "$@"\n`);
    });
  }

  it('starts the named program', async () => {
    const bin = { notes: 'server.js', admin: 'admin.js' };
    await install('@acme/notes', bin, { 'server.js': SHEBANG, 'admin.js': SHEBANG });
    expect(await startOf('@acme/notes', 'admin')).to.include("node '/app/node_modules/@acme/notes/admin.js'");
  });

  it('treats several names of one file as one program', async () => {
    await install('notes', { one: 'server.js', two: './server.js' }, { 'server.js': SHEBANG });
    expect(await startOf('notes')).to.include("node '/app/node_modules/notes/server.js'");
  });

  it('makes a program executable that is not for Node.js', async () => {
    await install('notes', 'run.sh', { 'run.sh': '#!/bin/sh\n' });
    const file = path.join(app, 'node_modules/notes/run.sh');
    await chmod(file, 0o644);
    await startOf('notes');
    expect((await stat(file)).mode & 0o111).to.equal(0o111);
  });

  for (const { title, bin, program, says } of [
    { title: 'without a program', bin: {}, says: 'notes has no program that could be run' },
    {
      title: 'that says nothing of programs',
      bin: undefined,
      says: 'notes has no program that could be run',
    },
    {
      title: 'with several programs',
      bin: { one: 'server.js', two: 'other.js' },
      says: 'notes has several programs, and none is called notes: one, two. Name one: npx://notes#one',
    },
    {
      title: 'without the program that is named',
      bin: { one: 'server.js', notes: 'server.js' },
      program: 'two',
      says: 'notes has no program two; its programs are: one, notes',
    },
    { title: 'whose program is not there', bin: 'gone.js', says: 'notes has no file gone.js' },
    {
      title: 'whose program is above it',
      bin: '../../x.js',
      says: 'notes names a program outside of itself',
    },
    {
      title: 'whose program is a link out of it',
      bin: 'out.js',
      says: 'notes names a program outside of itself',
    },
  ]) {
    it(`refuses a package ${title}`, async () => {
      await install('notes', bin, { 'server.js': SHEBANG });
      await writeFile(path.join(app, 'outside.js'), SHEBANG);
      await symlink('../../outside.js', path.join(app, 'node_modules/notes/out.js'));
      await writeFile(path.join(app, 'x.js'), SHEBANG);
      expect(await runFor('notes', program)).to.equal(`portolan: ${says}`);
    });
  }
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { main, PLUGIN_KINDS, renderPlugin } from '../src/index.ts';

interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program without a terminal, or on one where the user types these lines. */
async function create(words: readonly string[], typed?: string): Promise<Finished> {
  const isTTY = typed !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const stderr = new PassThrough();
  const texts = { stdout: '', stderr: '' };
  stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()));
  stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()));
  stdin.end(typed ?? '');
  const status = await main(words, { stdin, stdout, stderr });
  return { status, ...texts };
}

describe('create-plugin', () => {
  let folder: string;
  let target: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-create-'));
    target = path.join(folder, 'wiki');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const manifestIn = async (place: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'));

  it('writes a plugin of the chosen kind, and prints the next steps', async () => {
    const { status, stdout, stderr } = await create(['wiki', '--kind', 'source', '--folder', target]);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.include(`created ${target} (source)`).and.include('npm test');
    expect((await readdir(target)).toSorted()).to.deep.equal([
      '.gitignore',
      'README.md',
      'package.json',
      'src',
      'test',
      'tsconfig.json',
    ]);
    const { name, peerDependencies } = await manifestIn(target);
    const { version } = await manifestIn(path.resolve(import.meta.dirname, '..'));
    expect(name).to.equal('portolan-plugin-wiki');
    expect(peerDependencies).to.deep.equal({ '@portolan/plugin-api': `^${String(version)}` });
  });

  it('uses the package name in the manifest and in the plugin object', async () => {
    const words = ['wiki', '-k', 'source', '--package', '@acme/wiki', '--folder', target];
    expect(await create(words)).to.include({ status: 0 });
    expect(await manifestIn(target)).to.include({ name: '@acme/wiki' });
    expect(await readFile(path.join(target, 'src/index.ts'), 'utf8')).to.include("name: '@acme/wiki'");
    expect(await readFile(path.join(target, 'README.md'), 'utf8')).to.include('./acme-wiki-0.1.0.tgz');
  });

  it('writes into an existing empty folder', async () => {
    await mkdir(target);
    expect(await create(['wiki', '-k', 'hook', '--folder', target])).to.include({ status: 0 });
  });

  it('asks for kind and name on a terminal', async () => {
    const { status, stdout } = await create(['--folder', target], 'source\nwiki\n');
    expect(status).to.equal(0);
    expect(stdout).to.include('  1  source').and.include('Kind (name or number): ');
    expect(await manifestIn(target)).to.include({ name: 'portolan-plugin-wiki' });
  });

  it('accepts the number of a kind', async () => {
    const { status, stdout } = await create(['wiki', '--folder', target], '2\n');
    expect(status).to.equal(0);
    expect(stdout).to.include('(auth-provider)');
  });

  it('reports the end of the input at a question', async () => {
    const { status, stderr } = await create(['wiki', '--folder', target], '');
    expect({ status, stderr }).to.deep.equal({
      status: 2,
      stderr:
        'error: Standard input ended before the question was answered.\nhint: Write: create-plugin NAME --kind KIND\n',
    });
  });

  it('prints the usage with all kinds', async () => {
    const { status, stdout } = await create(['--help']);
    expect(status).to.equal(0);
    for (const { name, summary } of PLUGIN_KINDS) expect(stdout).to.include(name).and.include(summary);
  });

  const invalid: readonly {
    readonly title: string;
    readonly words: readonly string[];
    readonly error: string;
  }[] = [
    { title: 'a missing kind without a terminal', words: ['wiki'], error: 'Expected --kind KIND' },
    { title: 'a missing name without a terminal', words: ['--kind', 'source'], error: 'Expected a name' },
    {
      title: 'an unknown kind',
      words: ['wiki', '--kind', 'sources'],
      error: 'The kind "sources" is unknown',
    },
    { title: 'an empty kind', words: ['wiki', '--kind', ''], error: 'The kind "" is unknown' },
    {
      title: 'a name with capitals',
      words: ['Wiki', '--kind', 'source'],
      error: 'The name "Wiki" is invalid',
    },
    {
      title: 'a path as name',
      words: ['../wiki', '--kind', 'source'],
      error: 'The name "../wiki" is invalid',
    },
    {
      title: 'a second name',
      words: ['a', 'b', '--kind', 'source'],
      error: 'Expected one name, found "a b"',
    },
    { title: 'an unknown option', words: ['wiki', '--kin', 'source'], error: "Unknown option '--kin'" },
    {
      title: 'an option without value',
      words: ['wiki', '--kind'],
      error: "Option '--kind' argument is ambiguous",
    },
    {
      title: 'an invalid package name',
      words: ['wiki', '--kind', 'source', '--package', 'Acme Wiki'],
      error: 'The package name "Acme Wiki" is invalid',
    },
    {
      title: 'a package name that is too long',
      words: ['wiki', '--kind', 'source', '--package', 'a'.repeat(215)],
      error: 'The package name "aaa',
    },
  ];
  for (const { title, words, error } of invalid) {
    it(`refuses ${title} with one error and a hint, and writes nothing`, async () => {
      const { status, stdout, stderr } = await create([...words, '--folder', target]);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr)
        .to.match(/^error: [^\n]+\nhint: [^\n]+\n$/)
        .and.include(`error: ${error}`);
      expect(await readdir(folder)).to.deep.equal([]);
    });
  }

  it('overwrites no file of a folder with entries', async () => {
    await mkdir(target);
    await writeFile(path.join(target, 'package.json'), 'mine');
    const { status, stderr } = await create(['wiki', '-k', 'source', '--folder', target]);
    expect(status).to.equal(2);
    expect(stderr).to.match(/^error: The folder \S+ is not empty\.\nhint: /);
    expect(await readdir(target)).to.deep.equal(['package.json']);
    expect(await readFile(path.join(target, 'package.json'), 'utf8')).to.equal('mine');
  });

  it('refuses a file in place of the folder', async () => {
    await writeFile(target, 'mine');
    const { status, stderr } = await create(['wiki', '-k', 'source', '--folder', target]);
    expect(status).to.equal(2);
    expect(stderr).to.include('is a file.');
    expect(await readFile(target, 'utf8')).to.equal('mine');
  });

  it('reports a folder that it may not create', async () => {
    await writeFile(path.join(folder, 'file'), '');
    const { status, stderr } = await create([
      'wiki',
      '-k',
      'source',
      '--folder',
      path.join(folder, 'file/wiki'),
    ]);
    expect(status).to.equal(2);
    expect(stderr).to.match(/^error: [^\n]+\nhint: [^\n]+\n$/);
  });
});

describe('renderPlugin', () => {
  for (const kind of PLUGIN_KINDS) {
    it(`fills every placeholder of the kind ${kind.name}`, async () => {
      const files = await renderPlugin({ kind, name: 'my-wiki', packageName: 'portolan-plugin-my-wiki' });
      for (const [file, text] of files) expect(text, file).to.not.match(/\{\{\w+\}\}/);
    });
  }
});

import { build } from 'esbuild';
import { expect } from 'chai';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinChunks } from '../../../scripts/join-chunks.ts';

const SOURCES = {
  'index.js': `export { count, Fault } from './count.js';
    export { name } from './name.js';
    export const later = async () => (await import('./later.js')).later();
    export const apart = async () => (await import('./apart.js')).apart;
    export const many = async () => (await import('./many.js')).many();`,
  'count.js': `import { name as prefix } from './name.js';
    export class Fault extends Error {}
    let seen = 0;
    export const count = () => prefix() + ++seen;`,
  'name.js': `import { createHash } from 'node:crypto';
    export const name = () => createHash('sha256').update('x').digest('hex').slice(0, 2);`,
  'later.js': `import { count, Fault } from './count.js';
    import { name } from './name.js';
    import { shared } from './shared.js';
    export const later = () => [count(), name(), new Fault('later'), shared];`,
  'apart.js': `import { shared } from './shared.js';
    export const apart = shared;`,
  'shared.js': `export const shared = {};`,
  'many.js': `import { count } from './count.js';
    import { both } from './both.js';
    import { apart } from './apart.js';
    export const many = () => [count(), both, apart];`,
  'few.js': `export { both } from './both.js';
    export const few = async () => (await import('./many.js')).many();`,
  'both.js': `export const both = {};`,
};

const FIRST = ['index.js'];

describe('joinChunks', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-join-'));
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  /** Bundles the sources as packages are, and joins what modules always load. */
  async function joined(roots: readonly string[] = FIRST): Promise<string> {
    await mkdir(path.join(folder, 'src'));
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    for (const [file, text] of Object.entries(SOURCES)) await writeFile(path.join(folder, 'src', file), text);
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: ['src/index.js', 'src/name.js', 'src/few.js'],
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      platform: 'node',
      chunkNames: '[name]-[hash]',
      splitting: true,
      metafile: true,
    });
    await joinChunks(path.join(folder, 'dist'), metafile, roots);
    return path.join(folder, 'dist');
  }

  it('leaves one file of what is always loaded, which everything else shares with the index', async () => {
    const dist = await joined();
    const files = await readdir(dist);
    expect(files).to.include.members(['index.js', 'joined.js', 'name.js']);
    // What is loaded on demand, and what such files share among themselves.
    const names = files.flatMap(
      (file) => /^(?<name>chunk|later|apart|many)-/.exec(file)?.groups?.['name'] ?? [],
    );
    expect(names.toSorted()).to.deep.equal(['apart', 'chunk', 'chunk', 'chunk', 'later', 'many']);
    // SAFETY: the sources above.
    const index = (await import(pathToFileURL(path.join(dist, 'index.js')).href)) as {
      count: () => string;
      name: () => string;
      Fault: ErrorConstructor;
      later: () => Promise<[string, string, Error, object]>;
      apart: () => Promise<object>;
    };
    expect(Object.keys(index).toSorted()).to.deep.equal(['Fault', 'apart', 'count', 'later', 'many', 'name']);
    expect(index.count()).to.equal('2d1');
    const [count, name, fault, shared] = await index.later();
    expect([count, name]).to.deep.equal(['2d2', index.name()]);
    expect(fault).to.be.instanceOf(index.Fault);
    expect(await index.apart()).to.equal(shared);
    // Another way in has the same functions.
    const other = (await import(pathToFileURL(path.join(dist, 'name.js')).href)) as { name: unknown };
    expect(other.name).to.equal(index.name);
  });

  it('makes one file of what is loaded at once on demand, which shares with the others what they have in common', async () => {
    const dist = await joined([...FIRST, 'many.js']);
    const files = await readdir(dist);
    expect(files).to.include.members(['joined.js', 'joined-1.js', 'few.js']);
    // Of what "many" needs nothing is left but the ways in, which lead to the one file.
    expect(files.filter((file) => file.startsWith('chunk-'))).to.deep.equal([]);
    const load = async (file: string): Promise<unknown> =>
      await import(pathToFileURL(path.join(dist, file)).href);
    // SAFETY: the sources above.
    const index = (await load('index.js')) as {
      count: () => string;
      later: () => Promise<[string, string, Error, object]>;
      apart: () => Promise<object>;
      many: () => Promise<[string, object, object]>;
    };
    const few = (await load('few.js')) as { both: object; few: () => Promise<[string, object, object]> };
    expect(index.count()).to.equal('2d1');
    const [count, both, apart] = await index.many();
    expect([count, both, apart]).to.deep.equal(['2d2', few.both, await index.apart()]);
    expect(both).to.equal(few.both);
    expect(apart).to.equal((await index.later())[3]);
    expect((await few.few())[1]).to.equal(both);
  });

  it('keeps apart what one of the modules loads and another does not', async () => {
    const dist = await joined([...FIRST, 'many.js', 'few.js', 'apart.js']);
    const files = await readdir(dist);
    // What "many" and "few" have in common is a single chunk, and so is what "many" and "apart" have.
    expect(files.filter((file) => file.startsWith('joined')).toSorted()).to.deep.equal([
      'joined-1-3.js',
      'joined.js',
    ]);
    const few = (await import(pathToFileURL(path.join(dist, 'few.js')).href)) as {
      both: object;
      few: () => Promise<unknown[]>;
    };
    expect((await few.few())[1]).to.equal(few.both);
    expect(await readFile(path.join(dist, 'few.js'), 'utf8')).to.not.include('joined-1');
  });

  it('says when nothing begins at the module that is named', async () => {
    for (const missing of ['gone.js', 'shared.js']) {
      const fault = await joined([missing]).catch((error: unknown) => error);
      expect(String(fault)).to.include(`src/${missing} is loaded neither first nor on demand`);
      await rm(path.join(folder, 'src'), { recursive: true });
    }
  });
});

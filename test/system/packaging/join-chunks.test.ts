import { build } from 'esbuild';
import { expect } from 'chai';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinChunks } from '../../../scripts/join-chunks.ts';

const SOURCES = {
  'index.js': `export { count, Fault } from './count.js';
    export { name } from './name.js';
    export const later = async () => (await import('./later.js')).later();
    export const apart = async () => (await import('./apart.js')).apart;`,
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
};

describe('joinChunks', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-join-'));
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  /** Bundles the sources as packages are, and joins what the index always loads. */
  async function joined(): Promise<string> {
    await mkdir(path.join(folder, 'src'));
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    for (const [file, text] of Object.entries(SOURCES)) await writeFile(path.join(folder, 'src', file), text);
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: ['src/index.js', 'src/name.js'],
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      platform: 'node',
      chunkNames: '[name]-[hash]',
      splitting: true,
      metafile: true,
    });
    await joinChunks(path.join(folder, 'dist'), metafile);
    return path.join(folder, 'dist');
  }

  it('leaves one file of what is always loaded, which everything else shares with the index', async () => {
    const dist = await joined();
    const files = await readdir(dist);
    expect(files).to.include.members(['index.js', 'joined.js', 'name.js']);
    // What is loaded on demand, and what such files share among themselves.
    expect(files.filter((file) => /^(?:chunk|later|apart)-/.test(file))).to.have.lengthOf(3);
    // SAFETY: the sources above.
    const index = (await import(pathToFileURL(path.join(dist, 'index.js')).href)) as {
      count: () => string;
      name: () => string;
      Fault: ErrorConstructor;
      later: () => Promise<[string, string, Error, object]>;
      apart: () => Promise<object>;
    };
    expect(Object.keys(index).toSorted()).to.deep.equal(['Fault', 'apart', 'count', 'later', 'name']);
    expect(index.count()).to.equal('2d1');
    const [count, name, fault, shared] = await index.later();
    expect([count, name]).to.deep.equal(['2d2', index.name()]);
    expect(fault).to.be.instanceOf(index.Fault);
    expect(await index.apart()).to.equal(shared);
    // Another way in has the same functions.
    const other = (await import(pathToFileURL(path.join(dist, 'name.js')).href)) as { name: unknown };
    expect(other.name).to.equal(index.name);
  });
});

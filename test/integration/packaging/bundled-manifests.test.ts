import { expect } from 'chai';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  addBundledManifests,
  type BundledLibrary,
  findNeededLibraries,
} from '../../../scripts/bundled-manifests.ts';

const library = (name: string, version: string, more: Partial<BundledLibrary> = {}): BundledLibrary => ({
  name,
  version,
  license: 'MIT',
  direct: false,
  dependencies: [],
  ...more,
});

describe('addBundledManifests', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-manifests-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const written = async (): Promise<Readonly<Record<string, unknown>>> => {
    const manifests: Record<string, unknown> = {};
    for await (const file of glob('**/package.json', { cwd: folder }))
      manifests[path.dirname(file)] = JSON.parse(await readFile(path.join(folder, file), 'utf8'));
    return manifests;
  };

  it('adds direct libraries as bundled dependencies and writes the manifest of every library', async () => {
    const waves = library('waves', '2.0.0', { license: undefined });
    const lines = library('@acme/lines', '1.0.0', { direct: true, dependencies: [waves] });
    const manifest = await addBundledManifests(folder, { name: 'ship', dependencies: { koa: '3.3.0' } }, [
      waves,
      lines,
    ]);
    expect(manifest).to.deep.equal({
      name: 'ship',
      dependencies: { koa: '3.3.0', '@acme/lines': '1.0.0' },
      bundleDependencies: ['@acme/lines'],
    });
    expect(await written()).to.deep.equal({
      'node_modules/@acme/lines': {
        name: '@acme/lines',
        version: '1.0.0',
        license: 'MIT',
        dependencies: { waves: '2.0.0' },
      },
      'node_modules/waves': { name: 'waves', version: '2.0.0', dependencies: {} },
    });
  });

  it('puts a second version of a library inside the library that depends on it', async () => {
    const old = library('waves', '1.0.0');
    const lines = library('lines', '1.0.0', { direct: true, dependencies: [old] });
    const waves = library('waves', '2.0.0', { direct: true });
    await addBundledManifests(folder, {}, [old, lines, waves]);
    const manifests = await written();
    expect(manifests['node_modules/waves']).to.include({ version: '2.0.0' });
    expect(manifests['node_modules/lines/node_modules/waves']).to.include({ version: '1.0.0' });
  });

  it('puts the dependencies of a nested version where that version finds them', async () => {
    const oldDrops = library('drops', '1.0.0');
    const oldWaves = library('waves', '1.0.0', { dependencies: [oldDrops] });
    const lines = library('lines', '1.0.0', { direct: true, dependencies: [oldWaves, oldDrops] });
    const drops = library('drops', '2.0.0', { direct: true });
    const waves = library('waves', '2.0.0', { direct: true, dependencies: [drops] });
    await addBundledManifests(folder, {}, [oldDrops, oldWaves, lines, drops, waves]);
    const versions = Object.entries(await written()).map(([place, manifest]) => [
      place.replaceAll('node_modules/', ''),
      Object(manifest).version,
    ]);
    expect(Object.fromEntries(versions)).to.deep.equal({
      drops: '2.0.0',
      lines: '1.0.0',
      'lines/drops': '1.0.0',
      'lines/waves': '1.0.0',
      waves: '2.0.0',
    });
  });

  it('throws when no library depends on a second version', async () => {
    const libraries = [library('waves', '1.0.0', { direct: true }), library('waves', '2.0.0')];
    const error = await addBundledManifests(folder, {}, libraries).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('no place for a second version of waves');
  });

  it('does not bundle a library that npm installs as a normal dependency', async () => {
    const manifest = { dependencies: { kysely: '1.0.0' } };
    const kysely = library('kysely', '1.0.0', { direct: true });
    expect(await addBundledManifests(folder, manifest, [kysely])).to.equal(manifest);
    expect(await written()).to.deep.equal({});
  });

  it('puts a library that an installed dependency needs inside the library that depends on it, so that npm installs its code', async () => {
    const compose = library('compose', '4.0.0');
    const waves = library('waves', '1.0.0', { direct: true, dependencies: [compose] });
    const manifest = { dependencies: { router: '1.0.0' } };
    const packed = await addBundledManifests(
      folder,
      manifest,
      [waves, compose],
      new Set(['router', 'compose']),
    );
    expect(packed).to.deep.include({ dependencies: { router: '1.0.0', waves: '1.0.0' } });
    expect(await written()).to.deep.equal({
      'node_modules/waves': {
        name: 'waves',
        version: '1.0.0',
        license: 'MIT',
        dependencies: { compose: '4.0.0' },
      },
      'node_modules/waves/node_modules/compose': {
        name: 'compose',
        version: '4.0.0',
        license: 'MIT',
        dependencies: {},
      },
    });
  });

  it('throws when only a library that npm installs depends on another one', async () => {
    const waves = library('waves', '1.0.0');
    const kysely = library('kysely', '1.0.0', { direct: true, dependencies: [waves] });
    const manifest = { dependencies: { kysely: '1.0.0' } };
    const error = await addBundledManifests(folder, manifest, [kysely, waves]).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).to.include('no place for waves');
  });

  it('finds the libraries that installed dependencies need, through nested folders', async () => {
    const install = async (place: string, dependencies: Readonly<Record<string, string>>): Promise<void> => {
      await mkdir(path.join(folder, place), { recursive: true });
      await writeFile(path.join(folder, place, 'package.json'), JSON.stringify({ dependencies }));
    };
    await install('node_modules/router', { compose: '4', '@portolan/kernel': '1' });
    await install('node_modules/router/node_modules/compose', { inner: '1' });
    await install('node_modules/compose', { outer: '1' });
    await install('node_modules/inner', {});
    const found = await findNeededLibraries(path.join(folder, 'packages/ship'), [
      'router',
      '@portolan/kernel',
    ]);
    expect([...found]).to.deep.equal(['router', 'compose', 'inner']);
  });
});

import { expect } from 'chai';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Library, readLibrary } from '../../../scripts/library.ts';
import { LICENCES_FILE, writeLicences } from '../../../scripts/write-licences.ts';

describe('writeLicences', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-licences-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const library = async (manifest: object, files: Readonly<Record<string, string>>): Promise<Library> => {
    const directory = path.join(
      folder,
      'libraries',
      (await readdir(folder, { recursive: true })).length.toString(),
    );
    await mkdir(directory, { recursive: true });
    await writeFile(path.join(directory, 'package.json'), JSON.stringify(manifest));
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(directory, file), text);
    return await readLibrary(directory);
  };
  const written = (): Promise<string> => readFile(path.join(folder, LICENCES_FILE), 'utf8');

  it('combines licences and notices in the order of the library names', async () => {
    await writeLicences(folder, [
      await library(
        { name: 'waves', version: '2.0.0', license: 'Apache-2.0' },
        { LICENSE: 'Terms.', NOTICE: 'By W.' },
      ),
      await library({ name: 'lines', version: '1.0.0', license: 'MIT' }, { 'license.md': 'Copyright L.' }),
    ]);
    expect((await written()).split(/\n\n-+\n\n/).slice(1)).to.deep.equal([
      'lines 1.0.0 (MIT)\n\nCopyright L.',
      'waves 2.0.0 (Apache-2.0)\n\nTerms.\n\nBy W.\n',
    ]);
  });

  it('writes the licence name of the manifest when a library has no licence text', async () => {
    await writeLicences(folder, [await library({ name: 'lines', version: '1.0.0', license: 'MIT' }, {})]);
    expect(await written()).to.match(/its manifest names MIT\.\n$/);
  });

  it('throws when a library states no licence', async () => {
    const silent = await library({ name: 'lines', version: '1.0.0' }, { 'index.js': '' });
    const refused = await writeLicences(folder, [silent]).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(refused).to.include('lines says nothing about its licence');
  });

  it('writes nothing without libraries', async () => {
    await writeLicences(folder, []);
    expect(await readdir(folder)).to.deep.equal([]);
  });
});

import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect } from 'chai';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBundledLibraries, SBOM_FILE } from '../../../scripts/bundled-manifests.ts';
import { readLibrary } from '../../../scripts/library.ts';
import { writeSbom } from '../../../scripts/write-sbom.ts';

describe('writeSbom', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-sbom-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes the SBOM of a package that bundles libraries, by their folder below the folder of the test. */
  async function sbomOf(libraries: Readonly<Record<string, object>>): Promise<string> {
    const found = await Promise.all(
      Object.entries(libraries).map(async ([place, manifest]) => {
        const directory = path.join(folder, place);
        await mkdir(directory, { recursive: true });
        await writeFile(path.join(directory, 'package.json'), JSON.stringify(manifest));
        return await readLibrary(directory);
      }),
    );
    const manifest = {
      name: '@acme/ship',
      version: '1.0.0',
      license: 'Apache-2.0',
      devDependencies: { lines: '1.0.0' },
    };
    await writeSbom(folder, { name: '@acme/ship', version: '1.0.0', directory: folder, manifest }, found);
    return await readFile(path.join(folder, SBOM_FILE), 'utf8');
  }

  const LIBRARIES = {
    'node_modules/lines': {
      name: 'lines',
      version: '1.0.0',
      license: 'MIT',
      dependencies: { '@acme/waves': '^1' },
    },
    'node_modules/lines/node_modules/@acme/waves': {
      name: '@acme/waves',
      version: '1.9.0',
      license: '(MIT OR ISC)',
    },
    'node_modules/@acme/waves': { name: '@acme/waves', version: '2.0.0', license: 'SEE LICENSE IN x' },
  };

  it('conforms to the strict schema of CycloneDX 1.6', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    for (const libraries of [LIBRARIES, {}])
      expect(await validator.validate(await sbomOf(libraries))).to.equal(null);
  });

  it('lists each library with its version and package URL, and is the same for the same libraries', async () => {
    const text = await sbomOf(LIBRARIES);
    const { metadata, components } = JSON.parse(text);
    expect(metadata.component).to.include({ group: '@acme', name: 'ship', version: '1.0.0' });
    const urls = components.map(({ purl }: { readonly purl: string }) => purl);
    expect(urls.toSorted()).to.deep.equal([
      'pkg:npm/%40acme/waves@1.9.0',
      'pkg:npm/%40acme/waves@2.0.0',
      'pkg:npm/lines@1.0.0',
    ]);
    expect(await sbomOf(LIBRARIES)).to.equal(text);
  });

  it('follows dependencies through an installed library that has no code in the bundle', async () => {
    const place = path.join(folder, 'node_modules/@acme/again');
    await mkdir(place, { recursive: true });
    const again = { name: '@acme/again', version: '3.0.0', dependencies: { '@acme/waves': '^2' } };
    await writeFile(path.join(place, 'package.json'), JSON.stringify(again));
    await sbomOf({
      'node_modules/lines': { name: 'lines', version: '1.0.0', dependencies: { '@acme/again': '^3' } },
      'node_modules/@acme/waves': { name: '@acme/waves', version: '2.0.0' },
    });
    const libraries = await readBundledLibraries(folder);
    expect(libraries.map(({ name, direct }) => [name, direct])).to.have.deep.members([
      ['lines', true],
      ['@acme/waves', false],
    ]);
    expect(libraries.find(({ name }) => name === 'lines')?.dependencies).to.have.length(1);
  });

  it('records the dependencies as Node.js resolves them', async () => {
    await sbomOf(LIBRARIES);
    const libraries = await readBundledLibraries(folder);
    const find = (version: string) => libraries.find((one) => one.version === version);
    expect(find('1.0.0')).to.deep.include({ name: 'lines', license: 'MIT', direct: true });
    expect(find('1.0.0')?.dependencies).to.deep.equal([find('1.9.0')]);
    expect(find('1.9.0')).to.include({ name: '@acme/waves', license: '(MIT OR ISC)', direct: false });
    expect(find('2.0.0')).to.include({ license: undefined, direct: true });
  });
});

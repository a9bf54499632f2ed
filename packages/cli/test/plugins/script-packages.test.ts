import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findScriptPackages } from '../../src/plugins/script-packages.ts';

const PACKAGES = {
  'node_modules/plugin': { version: '1.0.0', dependencies: { native: '*', plain: '*' } },
  'node_modules/plugin/node_modules/native': { version: '2.0.0', hasInstallScript: true },
  'node_modules/native': { version: '1.0.0', hasInstallScript: true },
  'node_modules/plain': {
    version: '1.0.0',
    optionalDependencies: { '@acme/deep': '*', missing: '*' },
    peerDependencies: { plugin: '*' },
  },
  'node_modules/@acme/deep': { version: '3.0.0', hasInstallScript: true },
  'node_modules/other': { version: '1.0.0', hasInstallScript: true },
};

describe('findScriptPackages', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-scripts-'));
    await mkdir(path.join(folder, 'node_modules'));
    await writeFile(
      path.join(folder, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: PACKAGES }),
    );
  });
  after(() => rm(folder, { recursive: true }));

  for (const [plugin, expected] of [
    ['plugin', ['@acme/deep@3.0.0', 'native@2.0.0']],
    ['other', ['other@1.0.0']],
    ['plain', ['@acme/deep@3.0.0', 'native@2.0.0']],
    ['@acme/deep', ['@acme/deep@3.0.0']],
  ] as const) {
    it(`lists the packages with install scripts that ${plugin} depends on, and no others`, async () => {
      expect(await findScriptPackages(folder, plugin)).to.deep.equal(expected);
    });
  }
});

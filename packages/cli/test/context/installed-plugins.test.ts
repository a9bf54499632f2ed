import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installedPluginsFile, readInstalledPlugins } from '../../src/context/installed-plugins.ts';

describe('installedPluginsFile', () => {
  const cases = [
    { environment: { HOME: '/home/ada' }, expected: '/home/ada/.local/share/portolan/package.json' },
    { environment: { HOME: '/home/ada', XDG_DATA_HOME: '/data' }, expected: '/data/portolan/package.json' },
    { environment: { XDG_DATA_HOME: '/data', PORTOLAN_DATA_DIR: '/own' }, expected: '/own/package.json' },
  ];
  for (const { environment, expected } of cases) {
    it(`returns ${expected} for ${JSON.stringify(environment)}`, () => {
      expect(installedPluginsFile(environment, 'linux')).to.equal(expected);
    });
  }
});

describe('readInstalledPlugins', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-installed-'));
    file = path.join(folder, 'package.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('returns installed and linked packages', async () => {
    const plugins = [
      { name: 'a', type: 'user' },
      { name: 'b', type: 'link', root: '/src/b' },
      'c',
      { type: 'core' },
      7,
    ];
    await writeFile(file, JSON.stringify({ oclif: { plugins } }));
    expect(await readInstalledPlugins(file)).to.deep.equal([
      { specifier: 'a', from: file },
      { specifier: '/src/b', from: file },
      { specifier: 'c', from: file },
    ]);
  });

  for (const text of ['{}', '[]', 'null', '{"oclif":{"plugins":{}}}']) {
    it(`returns no plugins for ${text}`, async () => {
      await writeFile(file, text);
      expect(await readInstalledPlugins(file)).to.deep.equal([]);
    });
  }

  it('returns no plugins without a file', async () => {
    expect(await readInstalledPlugins(file)).to.deep.equal([]);
  });

  it('rejects a file that is not JSON', async () => {
    await writeFile(file, '{');
    const fault = await readInstalledPlugins(file).catch((error: unknown) => error);
    expect(fault).to.have.property('code', 'ERR_PLUGIN_SHAPE');
  });
});

import { expect } from 'chai';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import {
  getKnownSetting,
  KNOWN_SETTINGS,
  parseSettingValue,
} from '../../../src/state/user-config/known-settings.ts';
import { getSetting, listSettings } from '../../../src/state/user-config/list-settings.ts';
import { readUserConfig } from '../../../src/state/user-config/read-user-config.ts';
import { updateUserConfig } from '../../../src/state/user-config/update-user-config.ts';
import { caught } from '../../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

async function directoriesWith(text?: string) {
  const folder = await folders.make();
  const directories = { config: path.join(folder, 'config'), groups: path.join(folder, 'state', 'groups') };
  if (text !== undefined) {
    await mkdir(directories.config);
    await writeFile(path.join(directories.config, 'config.yaml'), text);
  }
  return { directories, file: path.join(directories.config, 'config.yaml') };
}

const TEXT = `# my settings
registry_url: https://files.acme.example/servers.json   # the team's
otel:
    endpoint: https://otel.acme.example   # for later
secrets: { provider_type: encrypted, setup_completed: true }

# builds
runtime_configs:
    npx:
        additional_packages: [git, make]
`;

describe('readUserConfig', () => {
  afterEach(() => folders.removeAll());

  it('returns the defaults without a file, and for a file without settings', async () => {
    expect(await readUserConfig((await directoriesWith()).directories)).to.equal(NO_USER_SETTINGS);
    expect(await readUserConfig((await directoriesWith('\n')).directories)).to.equal(NO_USER_SETTINGS);
    expect(await readUserConfig((await directoriesWith('# only this\n')).directories)).to.deep.equal(
      NO_USER_SETTINGS,
    );
  });

  it('rejects a file of 0 bytes, and names the backup of the last change', async () => {
    const { directories, file } = await directoriesWith(TEXT);
    await updateUserConfig(directories, [{ path: ['secrets', 'setup_completed'], value: false }]);
    expect(await readFile(`${file}.bak`, 'utf8')).to.equal(TEXT);
    await writeFile(file, '');
    const edits = [{ path: ['registry_url'], value: 'https://other.acme.example' }];
    for (const use of [
      () => readUserConfig(directories),
      () => listSettings(directories),
      () => updateUserConfig(directories, edits),
    ]) {
      const fault = await caught(use);
      expect(fault).to.include({ code: 'ERR_USER_SETTINGS' });
      expect(String(fault)).to.include(`it is empty; restore ${file}.bak`);
    }
    expect(await readFile(file, 'utf8')).to.equal('');
    expect(await readFile(`${file}.bak`, 'utf8')).to.equal(TEXT);
  });

  it('reads known settings and ignores others', async () => {
    const settings = await readUserConfig((await directoriesWith(TEXT)).directories);
    expect(settings.registryUrl).to.equal('https://files.acme.example/servers.json');
    expect(settings.secretsProvider).to.equal('encrypted');
    expect(settings.runtimeConfigs['npx']?.additional_packages).to.deep.equal(['git', 'make']);
  });

  it('returns no secrets provider before the setup is complete', async () => {
    const { directories } = await directoriesWith(
      'secrets:\n  provider_type: encrypted\n  setup_completed: false\n',
    );
    expect((await readUserConfig(directories)).secretsProvider).to.equal(undefined);
  });

  it('reports all problems at once, each with its line', async () => {
    const text = 'registry_url: 5\ngateway:\n  image: [a]\nbuild:\n  allow_host:\n    - ok\n    - 7\n';
    const { directories, file } = await directoriesWith(text);
    const error = await caught(() => readUserConfig(directories));
    expect(error.code).to.equal('ERR_USER_SETTINGS');
    expect(error.message.split('\n')).to.deep.equal([
      `${file} is invalid:`,
      '  line 1: registry_url: found 5; expected a text',
      '  line 3: gateway.image: found a list; expected a text',
      '  line 7: build.allow_host[1]: found 7; expected a text',
    ]);
  });

  const broken = ['a: [1', 'a: 1\na: 2\n', '- 1\n', 'a: &a [*a, *a]\nb: *nowhere\n'];
  for (const text of broken) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      const { directories } = await directoriesWith(text);
      expect((await caught(() => readUserConfig(directories))).code).to.equal('ERR_USER_SETTINGS');
    });
  }
});

describe('updateUserConfig', () => {
  afterEach(() => folders.removeAll());

  it('changes a value, and keeps comments, order and unknown keys', async () => {
    const { directories, file } = await directoriesWith(TEXT);
    await updateUserConfig(directories, [
      { path: ['gateway', 'image'], value: 'acme/gateway:1' },
      { path: ['registry_url'], value: 'https://other.acme.example/a.json' },
      { path: ['runtime_configs', 'npx', 'additional_packages'] },
    ]);
    const text = await readFile(file, 'utf8');
    expect(text).to.include("# my settings\nregistry_url: https://other.acme.example/a.json # the team's\n");
    expect(text).to.include('    endpoint: https://otel.acme.example # for later\n');
    expect(text).to.include('gateway:\n    image: acme/gateway:1\n').and.not.include('runtime_configs');
  });

  it('creates a file with mode 600', async () => {
    const { directories, file } = await directoriesWith();
    const settings = await updateUserConfig(directories, [
      { path: ['build', 'allow_host'], value: ['a.example'] },
    ]);
    expect(settings.buildAllowHost).to.deep.equal(['a.example']);
    expect(await readFile(file, 'utf8')).to.equal('build:\n  allow_host:\n    - a.example\n');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  it('writes nothing when the setting to remove does not exist', async () => {
    const { directories, file } = await directoriesWith(TEXT);
    await updateUserConfig(directories, [{ path: ['gateway', 'image'] }]);
    expect(await readFile(file, 'utf8')).to.equal(TEXT);
  });

  it('sets a value below a key without a value', async () => {
    const { directories } = await directoriesWith('gateway:\n');
    expect(
      (await updateUserConfig(directories, [{ path: ['gateway', 'image'], value: 'a/b' }])).gatewayImage,
    ).to.equal('a/b');
  });

  it('leaves a file unchanged that is invalid before or after', async () => {
    for (const [text, value] of [
      ['a: [1', 'x'],
      ['b: 1\n', true],
    ] as const) {
      const { directories, file } = await directoriesWith(text);
      const error = await caught(() =>
        updateUserConfig(directories, [{ path: ['gateway', 'image'], value }]),
      );
      expect(error.code).to.equal('ERR_USER_SETTINGS');
      expect(await readFile(file, 'utf8')).to.equal(text);
    }
  });

  it('loses no concurrent change', async () => {
    const { directories } = await directoriesWith(TEXT);
    const schemes = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(
      schemes.map(
        async (scheme) =>
          await updateUserConfig(directories, [
            { path: ['runtime_configs', scheme, 'builder_image'], value: `${scheme}/x` },
          ]),
      ),
    );
    expect(Object.keys((await readUserConfig(directories)).runtimeConfigs)).to.have.members([
      'npx',
      ...schemes,
    ]);
  });
});

describe('known settings', () => {
  afterEach(() => folders.removeAll());

  it('suggests the nearest setting for an unknown key', async () => {
    const error = await caught(async () => getKnownSetting('registry_api_ulr'));
    expect(error.hint).to.match(/^Did you mean registry_api_url\? Settings are /);
    expect((await caught(async () => getKnownSetting('zzz'))).hint).to.match(/^Settings are /);
  });

  it('are all read by readUserConfig', async () => {
    for (const { key, is } of KNOWN_SETTINGS) {
      const { directories } = await directoriesWith();
      const { path: at } = getKnownSetting(key.replaceAll('*', 'npx'));
      // The test needs a value that is not the default.
      const truth = key !== 'default_registry';
      const list = [key === 'trust.registries' ? 'https://registry.acme.example' : 'x'];
      const limits: Readonly<Record<string, string>> = {
        'otel.sampling-rate': '0.5',
        'lock.drift': 'refuse',
        'build.memory': '1GiB',
        'build.processes': '64',
        'build.timeout': '1h',
        'build.image_size': '1GiB',
      };
      const value = is === 'text' ? (limits[key] ?? 'node:24') : is === 'truth' ? truth : list;
      const settings = await updateUserConfig(directories, [
        { path: at, value },
        ...(key === 'secrets.provider_type' ? [{ path: ['secrets', 'setup_completed'], value: true }] : []),
      ]);
      expect(settings, key).to.not.deep.equal(NO_USER_SETTINGS);
    }
  });

  it("are listed and returned with the user's names in their keys", async () => {
    const { directories } = await directoriesWith(TEXT);
    expect(await listSettings(directories)).to.deep.equal([
      { key: 'registry_url', value: 'https://files.acme.example/servers.json' },
      { key: 'runtime_configs.npx.additional_packages', value: ['git', 'make'] },
      { key: 'otel.endpoint', value: 'https://otel.acme.example' },
      { key: 'secrets.provider_type', value: 'encrypted' },
    ]);
    expect(await getSetting('runtime_configs.npx.additional_packages', directories)).to.deep.equal([
      'git',
      'make',
    ]);
    expect((await caught(() => getSetting('gateway.image', directories))).code).to.equal('ERR_NAME_UNKNOWN');
    expect((await caught(() => getSetting('otel.headers', directories))).code).to.equal('ERR_SETTING');
  });

  it('are listed together with variables and files of builds', async () => {
    const { directories } = await directoriesWith(
      'build_env: { GOFLAGS: -v }\nbuild_env_from_secrets: { UV_INDEX_URL: acme }\nbuild_env_from_shell: [GOPROXY]\nbuild_auth_files: { npmrc: BUILD_AUTH_FILE_npmrc }\n',
    );
    expect(await listSettings(directories)).to.deep.equal([
      { key: 'build_env.GOFLAGS', value: '-v' },
      { key: 'build_env_from_secrets.UV_INDEX_URL', value: 'acme' },
      { key: 'build_env_from_shell', value: ['GOPROXY'] },
      { key: 'build_auth_files.npmrc', value: 'BUILD_AUTH_FILE_npmrc' },
    ]);
  });

  const values = [
    { key: 'gateway.image', words: ['a b'], code: 'ERR_SETTING' },
    { key: 'gateway.image', words: ['a/b', 'c/d'], code: 'ERR_SETTING' },
    { key: 'gateway.image', words: [''], code: 'ERR_SETTING' },
    { key: 'allow_private_registry_ip', words: ['yes'], code: 'ERR_SETTING' },
    { key: 'build.allow_host', words: ['https://a.example'], code: 'ERR_SETTING' },
    { key: 'runtime_configs.npx.additional_packages', words: ['git; rm'], code: 'ERR_SETTING' },
    { key: 'gateway', words: ['x'], code: 'ERR_SETTING' },
    { key: '__proto__.x', words: ['x'], code: 'ERR_SETTING' },
  ];
  for (const { key, words, code } of values) {
    it(`reject ${key} = ${JSON.stringify(words)}`, async () => {
      expect((await caught(() => parseSettingValue(getKnownSetting(key).setting, words))).code).to.equal(
        code,
      );
    });
  }
});

describe('KNOWN_SETTINGS', () => {
  afterEach(() => folders.removeAll());

  it('has each setting of the section otel that a run reads', async () => {
    const { directories } = await directoriesWith();
    const { signal } = new AbortController();
    const values = { text: '1', truth: 'true', texts: 'A' };
    for (const { key, is } of KNOWN_SETTINGS.filter((known) => known.key.startsWith('otel.'))) {
      const { setting, path: keys } = getKnownSetting(key);
      const value = parseSettingValue(setting, [values[is]]);
      await updateUserConfig(directories, [{ path: keys, value }], signal);
    }
    expect(Object.values((await readUserConfig(directories)).telemetry)).not.to.include(undefined);
  });
});

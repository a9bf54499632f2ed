import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Finished, runPortolan } from '../../../test/support/command-line.ts';

const MANIFEST = {
  name: 'acme-portolan-harbour',
  version: '1.2.3',
  type: 'module',
  exports: './index.js',
  files: ['index.js', 'commands'],
  portolan: { plugin: '.', apiVersion: 1 },
  oclif: { commands: './commands' },
};

/** A command without a base class, so that the package needs nothing else. */
const COMMAND = `
export default class Hail {
  static id = 'hail';
  static summary = 'Hail a ship';
  static flags = {};
  static args = {};
  static async run(argv) {
    if (argv[0] === 'nobody') throw Object.assign(new Error('no ship in sight'), { oclif: { exit: 7 }, suggestions: ['wait'] });
    if (argv[0] === 'sharing') {
      const { PortolanError } = await import('@portolan/plugin-api');
      throw new PortolanError('ERR_HARBOUR', 'unavailable', 'the harbour is closed', { hint: 'wait for the tide' });
    }
    if (argv[0] === 'quiet') throw Object.assign(new Error('EEXIT: 3'), { code: 'EEXIT', oclif: { exit: 3 } });
    process.stdout.write('ahoy ' + argv.join(' ') + '\\n');
    return 5;
  }
}
`;

const KINDS = `
export default {
  name: 'acme-portolan-harbour',
  apiVersion: 1,
  contributes: {
    sources: [{ kind: 'quay', config: { type: 'object', properties: {} }, claimsFrom: 'source', create: () => ({ async *readEntries() {} }) }],
    authProviders: [
      { kind: 'pilot', hosts: ['registry-server', 'workload'], identifies: false, config: { type: 'object', properties: {} }, create: () => ({}) },
    ],
    secretStores: [{ kind: 'harbour', config: { type: 'object', properties: {} }, can: [], create: async () => ({ find: async () => undefined }) }],
  },
};
`;

describe('portolan plugins', function () {
  this.timeout(120_000); // npm packs and installs

  let folder: string;
  let tarball: string;
  const portolan = (...args: readonly string[]): Promise<Finished> => runAs(args, {});
  const runAs = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Finished> =>
    runPortolan(args, {
      cwd: folder,
      env: {
        HOME: folder,
        XDG_DATA_HOME: path.join(folder, 'data'),
        XDG_CONFIG_HOME: path.join(folder, 'config'),
        XDG_CACHE_HOME: path.join(folder, 'cache'),
        npm_config_offline: 'true',
        ...env,
      },
    });
  /** A shell command that leaves a file in the folder of the test. */
  const mark = (name: string): string => `touch ${path.join(folder, name)}`;
  const write = async (name: string, manifest: object): Promise<string> => {
    const source = path.join(folder, name);
    await mkdir(path.join(source, 'commands'), { recursive: true });
    await writeFile(path.join(source, 'package.json'), JSON.stringify(manifest));
    await writeFile(path.join(source, 'commands/hail.js'), COMMAND);
    await writeFile(path.join(source, 'index.js'), KINDS);
    return source;
  };
  const pack = async (name: string, manifest: object): Promise<string> => {
    const source = await write(name, manifest);
    await promisify(execFile)('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: source });
    const [packed = 'nothing was packed'] = (await readdir(source)).filter((file) => file.endsWith('.tgz'));
    return path.join(source, packed);
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-plugins-'));
    tarball = await pack('source', MANIFEST);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('install a packed package, whose command and kind are there from then on', async () => {
    const installed = await portolan('plugins', 'install', `file:${tarball}`);
    expect(installed).to.include({
      status: 0,
      stdout: 'installed acme-portolan-harbour 1.2.3\n',
      stderr: '',
    });
    expect(await portolan('plugins')).to.include({ status: 0, stdout: 'acme-portolan-harbour 1.2.3\n' });
    expect(await portolan('hail', 'there')).to.include({ status: 0, stdout: 'ahoy there\n' });
    expect(await portolan('plugins', 'list')).to.include({
      status: 0,
      stdout: 'acme-portolan-harbour 1.2.3\n',
    });
    expect((await portolan('--help')).stdout).to.match(/^OTHERS\n {2}hail +Hail a ship$/m);
    const kinds = JSON.parse((await portolan('kinds', '--format', 'json')).stdout) as readonly {
      kind: string;
    }[];
    expect(kinds.find(({ kind }) => kind === 'harbour')).to.include({
      sort: 'secret store',
      plugin: 'acme-portolan-harbour',
      origin: 'installed',
    });
  });

  it('let a command of a plugin end as it wants', async () => {
    expect(await portolan('hail', 'quiet')).to.include({ status: 3, stdout: '', stderr: '' });
    expect(await portolan('hail', 'nobody')).to.include({
      status: 7,
      stderr: 'error: no ship in sight\nhint: wait\n',
    });
  });

  it('take it away again', async () => {
    expect(await portolan('plugins', 'uninstall', 'acme-portolan-harbour')).to.include({ status: 0 });
    const { status, stderr } = await portolan('hail');
    expect(status).to.equal(2);
    expect(stderr).to.include('unknown command "hail"');
  });

  it('install › accepts a package of kinds alone, which has no key "oclif"', async () => {
    const packed = await pack('acme-kinds', { ...MANIFEST, oclif: undefined, files: ['index.js'] });
    const installed = await portolan('plugins', 'install', `file:${packed}`);
    expect(installed.status, installed.stderr).to.equal(0);
    const kinds = await portolan('kinds');
    expect(kinds.stdout).to.match(/harbour +acme-portolan-harbour +installed/);
  });

  for (const [title, change, code, says] of [
    ['has neither "portolan" nor "oclif"', { portolan: undefined, oclif: undefined }, 2, 'is no plugin'],
    ['names an unknown version of the contract', { portolan: { plugin: '.', apiVersion: 99 } }, 2, '99'],
    ['has a broken manifest', { portolan: { plugin: 'index.js', apiVersion: 1 } }, 2, '"portolan.plugin"'],
  ] as const) {
    it(`install › takes a package out again that ${title}, and runs nothing of it`, async () => {
      const before = await portolan('plugins');
      const packed = await pack(`refused-${code}`, {
        ...MANIFEST,
        name: 'acme-refused',
        ...change,
        scripts: { postinstall: mark('refused') },
      });
      const installed = await portolan('plugins', 'install', `file:${packed}`, '--allow-scripts');
      expect(installed).to.include({ status: code, stdout: '' });
      expect(installed.stderr).to.include(says);
      expect(await portolan('plugins')).to.deep.equal(before);
      expect(await readdir(path.join(folder, 'data/portolan/node_modules'))).not.to.include('acme-refused');
      expect(await readdir(folder)).not.to.include('refused');
    });
  }

  it('install › keeps the earlier version when the new one is refused', async () => {
    await portolan('plugins', 'install', `file:${await pack('kept', { ...MANIFEST, name: 'acme-kept' })}`);
    const manifest = { ...MANIFEST, name: 'acme-kept', version: '2.0.0', portolan: { plugin: '.' } };
    const refused = await portolan('plugins', 'install', `file:${await pack('kept-2', manifest)}`);
    expect(refused.status, refused.stderr).to.equal(2);
    expect((await portolan('plugins')).stdout).to.include('acme-kept 1.2.3');
    await portolan('plugins', 'uninstall', 'acme-kept');
  });

  it('install › runs install scripts only with --allow-scripts, and without variables of Portolan or credentials', async () => {
    const packed = await pack('scripts', {
      ...MANIFEST,
      name: 'acme-scripts',
      scripts: { install: `env > ${path.join(folder, 'scripts-ran')}` },
    });
    // Settings of a careful user do not keep scripts from running that the command line allows.
    await writeFile(path.join(folder, '.npmrc'), 'strict-allow-scripts=true\nignore-scripts=true\n');
    const secrets = {
      PORTOLAN_SECRETS_PASSWORD: 'correct horse',
      PORTOLAN_SECRET_KEY: 'battery staple',
      NPM_TOKEN: 'battery token',
    };
    const without = await runAs(['plugins', 'install', `file:${packed}`], secrets);
    expect(without).to.include({ status: 0, stdout: 'installed acme-scripts 1.2.3\n' });
    expect(without.stderr).to.include('install scripts of acme-scripts@1.2.3 did not run');
    expect(await readdir(folder)).not.to.include('scripts-ran');
    const allowed = await runAs(['plugins', 'install', `file:${packed}`, '--allow-scripts'], secrets);
    expect(allowed).to.include({ status: 0, stderr: '' });
    const environment = await readFile(path.join(folder, 'scripts-ran'), 'utf8');
    expect(environment).to.include('npm_package_name=acme-scripts');
    expect(environment).not.to.match(/PORTOLAN|correct horse|battery/);
    await rm(path.join(folder, '.npmrc'));
    await portolan('plugins', 'uninstall', 'acme-scripts');
  });

  it('install › takes a package out again whose install script fails', async () => {
    const packed = await pack('failing', {
      ...MANIFEST,
      name: 'acme-failing',
      scripts: { install: 'exit 3' },
    });
    const installed = await portolan('plugins', 'install', `file:${packed}`, '--allow-scripts');
    expect(installed.status).to.equal(1);
    expect(installed.stderr).to.include('could not run the install scripts');
    expect((await portolan('plugins')).stdout).not.to.include('acme-failing');
  });

  it('install › runs no script of a Git repository while it prepares one', async () => {
    const source = await write('repository', {
      ...MANIFEST,
      name: 'acme-repository',
      scripts: { prepare: mark('prepared'), postinstall: mark('prepared') },
    });
    const git = (...words: readonly string[]): Promise<unknown> =>
      promisify(execFile)('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example', ...words], {
        cwd: source,
      });
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'first');
    const installed = await portolan('plugins', 'install', `git+file://${source}`);
    expect(installed).to.include({ status: 0, stdout: 'installed acme-repository 1.2.3\n' });
    expect(await readdir(folder)).not.to.include('prepared');
    await portolan('plugins', 'uninstall', 'acme-repository');
  });

  it('install › asks no index for @portolan/*, whose classes are those of the host', async () => {
    const requests: string[] = [];
    const index = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(404).end('{}');
    }).listen(0, '127.0.0.1');
    await once(index, 'listening');
    const packed = await pack('sharing', {
      ...MANIFEST,
      name: 'acme-sharing',
      peerDependencies: { '@portolan/plugin-api': '^7.0.0', '@portolan/outbound': '*' },
      dependencies: { '@portolan/entry-format': '^3.0.0' },
    });
    try {
      // SAFETY: the server listens on a port.
      const { port } = index.address() as AddressInfo;
      const env = { npm_config_offline: 'false', npm_config_registry: `http://127.0.0.1:${port}/` };
      const installed = await runAs(['plugins', 'install', `file:${packed}`], env);
      expect(installed, installed.stderr).to.include({ status: 0, stderr: '' });
      expect(requests).to.deep.equal([]);
      const unknown = await runAs(['plugins', 'install', 'acme-unknown'], env);
      expect(unknown.status).to.equal(1);
      expect(unknown.stderr).to.include('could not install acme-unknown');
      expect(requests).to.deep.equal(['/acme-unknown']);
    } finally {
      index.close();
    }
    const { status, stderr } = await portolan('hail', 'sharing');
    expect({ status, stderr }).to.deep.equal({
      status: 1,
      stderr: 'error: the harbour is closed\nhint: wait for the tide\n',
    });
    await portolan('plugins', 'uninstall', 'acme-sharing');
  });

  it('loads no command of a plugin whose manifest is refused, and every other command works', async () => {
    const source = await write('outdated', { ...MANIFEST, name: 'acme-outdated' });
    expect(await portolan('plugins', 'link', source)).to.include({
      status: 0,
      stdout: 'linked acme-outdated 1.2.3\n',
    });
    expect(await portolan('hail', 'there')).to.include({ status: 0, stdout: 'ahoy there\n', stderr: '' });
    await writeFile(
      path.join(source, 'package.json'),
      JSON.stringify({ ...MANIFEST, name: 'acme-outdated', portolan: { plugin: '.', apiVersion: 99 } }),
    );
    await writeFile(path.join(source, 'commands/hail.js'), "process.stdout.write('code of the plugin ran');");
    const listed = await portolan('plugins');
    expect(listed.status).to.equal(0);
    expect(listed.stdout).to.include(`acme-outdated 1.2.3 (linked: ${source})`).and.not.include('code of');
    expect(listed.stderr).to.match(
      /^warning: the commands of the plugin .*outdated are missing: .*version 99/,
    );
    expect(await portolan('plugins', 'unlink', source)).to.include({ status: 0 });
  });

  it('install › takes a folder, whose imports of @portolan/* are those of the host, too', async () => {
    await write('folder', { ...MANIFEST, name: 'acme-folder' });
    expect(await portolan('plugins', 'install', './folder')).to.include({
      status: 0,
      stdout: 'installed acme-folder 1.2.3\n',
    });
    expect((await portolan('hail', 'sharing')).stderr).to.include('the harbour is closed');
    await portolan('plugins', 'uninstall', 'acme-folder');
  });

  it('update › installs again what a file holds by now', async () => {
    const packed = await pack('renewed', { ...MANIFEST, name: 'acme-renewed' });
    await portolan('plugins', 'install', `file:${packed}`);
    const next = await pack('renewed-2', { ...MANIFEST, name: 'acme-renewed', version: '1.3.0' });
    await rename(next, packed);
    expect(await portolan('plugins', 'update', 'acme-renewed')).to.include({
      status: 0,
      stdout: 'updated acme-renewed 1.3.0\n',
    });
    const shown = JSON.parse(
      (await portolan('plugins', 'inspect', 'acme-renewed', '--format', 'json')).stdout,
    );
    expect(shown).to.include({ version: '1.3.0', from: `file:${packed}`, hasKinds: true, hasCommands: true });
    await portolan('plugins', 'uninstall', 'acme-renewed');
  });

  for (const place of ['file:source/PACKED', './source/PACKED', 'file:./source/PACKED', 'source/PACKED']) {
    it(`install › finds ${place} from the working directory`, async () => {
      const named = place.replace('PACKED', path.basename(tarball));
      const { status, stdout, stderr } = await portolan('plugins', 'install', named, '--verbose');
      expect(status, stderr).to.equal(0);
      expect(stdout).to.equal('installed acme-portolan-harbour 1.2.3\n');
      expect(stderr).to.include('npm verbose');
    });
  }

  for (const command of ['uninstall', 'inspect', 'update']) {
    it(`${command} › names the nearest plugin when there is none of that name`, async () => {
      expect(await portolan('plugins', command, 'acme-portolan-harbor')).to.include({
        status: 1,
        stderr:
          'error: the plugin acme-portolan-harbor is not installed\nhint: did you mean `acme-portolan-harbour`?\n',
      });
    });
  }

  it('install › fails when there is no such file', async () => {
    const { status, stderr } = await portolan(
      'plugins',
      'install',
      `file:${path.join(folder, 'nowhere.tgz')}`,
    );
    expect(status).to.equal(1);
    expect(stderr).to.match(/^error: npm could not install .*nowhere\.tgz: ENOENT/m);
  });

  it('link › refuses a folder without a package', async () => {
    const { status, stderr } = await portolan('plugins', 'link', folder);
    expect(status).to.equal(2);
    expect(stderr).to.include('it has no package.json');
  });

  it('uninstall › warns when the secret store of the plugin is chosen, and later commands name the way out', async () => {
    await portolan('plugins', 'install', `file:${tarball}`);
    expect(await portolan('secret', 'provider', 'harbour')).to.include({ status: 0 });
    const { status, stdout, stderr } = await portolan('plugins', 'uninstall', MANIFEST.name);
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: `uninstalled ${MANIFEST.name}\n` });
    expect(stderr)
      .to.match(/^warning: no plugin brings the secret store "harbour" any more/)
      .and.include('`portolan secret provider TYPE`');
    for (const words of [
      ['secret', 'list'],
      ['secret', 'get', 'key'],
    ]) {
      const later = await portolan(...words);
      expect(later.status).to.equal(2);
      expect(later.stderr)
        .to.match(/^error: There is no secret store "harbour": there is /)
        .and.include('`portolan plugins install`')
        .and.include('`portolan secret provider TYPE`');
    }
    const variable = await runAs(['secret', 'list'], { PORTOLAN_SECRETS_PROVIDER: 'harbour' });
    expect(variable.stderr).to.include('set PORTOLAN_SECRETS_PROVIDER to another store');
    expect(await portolan('secret', 'provider', 'environment')).to.include({ status: 0 });
    await portolan('plugins', 'install', `file:${tarball}`);
    expect((await portolan('plugins', 'uninstall', MANIFEST.name)).stderr).to.equal('');
    await portolan('plugins', 'install', `file:${tarball}`);
    await portolan('secret', 'provider', 'harbour');
  });

  it('kinds › says what each kind is loaded for, and config check which plugin to name', async () => {
    await portolan('plugins', 'install', `file:${tarball}`);
    const config = (more: object): string =>
      JSON.stringify({
        sources: [{ name: 'a', quay: {}, syncPolicy: { interval: '1h' } }],
        registries: [{ name: 'main', sources: ['a'] }],
        auth: { mode: 'pilot' },
        database: { url: 'sqlite::memory:' },
        ...more,
      });
    await writeFile(path.join(folder, 'unnamed.json'), config({}));
    await writeFile(path.join(folder, 'named.json'), config({ plugins: ['acme-portolan-harbour'] }));
    const loadedFor = async (file: string): Promise<Readonly<Record<string, readonly string[]>>> => {
      const { stdout } = await portolan('kinds', '--config', file, '--format', 'json');
      // SAFETY: the command prints a list of these.
      const kinds = JSON.parse(stdout) as readonly { kind: string; loadedFor: readonly string[] }[];
      return Object.fromEntries(kinds.map((one) => [one.kind, one.loadedFor]));
    };
    expect(await loadedFor('unnamed.json')).to.deep.include({
      quay: [],
      pilot: ['workload'],
      harbour: ['workload'],
    });
    expect(await loadedFor('named.json')).to.deep.include({
      quay: ['registry-server'],
      pilot: ['registry-server', 'workload'],
      harbour: ['workload'],
    });
    const shown = await portolan('kinds', '--config', 'unnamed.json');
    expect(shown.stdout).to.match(/^source +quay +acme-portolan-harbour +installed +nothing +/m);
    expect(shown.stderr).to.match(/^note: .*"acme-portolan-harbour" only when "plugins"/);
    for (const command of [['config', 'check'], ['serve']]) {
      const { status, stderr } = await portolan(...command, '--config', 'unnamed.json');
      expect(status).to.equal(2);
      const sentence = 'The installed plugin "acme-portolan-harbour" brings it: add it to "plugins"';
      expect(stderr.split(sentence), stderr).to.have.length(3);
    }
    expect(await portolan('config', 'check', '--config', 'named.json')).to.include({ status: 0 });
  });

  it('reset › uninstalls everything, and warns about the chosen secret store', async () => {
    const reset = await portolan('plugins', 'reset');
    expect(reset).to.include({ status: 0, stdout: 'uninstalled all plugins\n' });
    expect(reset.stderr).to.match(/^warning: no plugin brings the secret store "harbour"/);
    expect(await portolan('plugins')).to.include({ status: 0, stdout: 'no plugins installed\n' });
  });
});

import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { MANIFEST, PluginUser } from './support/plugin-user.ts';

describe('portolan plugins install', function () {
  this.timeout(120_000); // npm packs and installs

  let user: PluginUser;
  let tarball: string;
  before(async () => {
    user = await PluginUser.make();
    tarball = await user.pack('source', MANIFEST);
  });
  after(() => user.remove());

  it('accepts a package with kinds only, which has no key "oclif"', async () => {
    const packed = await user.pack('acme-kinds', { ...MANIFEST, oclif: undefined, files: ['index.js'] });
    const installed = await user.portolan('plugins', 'install', `file:${packed}`);
    expect(installed.status, installed.stderr).to.equal(0);
    const kinds = await user.portolan('kinds');
    expect(kinds.stdout).to.match(/harbour +acme-portolan-harbour +installed/);
  });

  for (const [title, change, code, says] of [
    ['has neither "portolan" nor "oclif"', { portolan: undefined, oclif: undefined }, 2, 'is not a plugin'],
    ['names an unknown version of the contract', { portolan: { plugin: '.', apiVersion: 99 } }, 2, '99'],
    ['has a broken manifest', { portolan: { plugin: 'index.js', apiVersion: 2 } }, 2, '"portolan.plugin"'],
  ] as const) {
    it(`removes a package that ${title}, and runs none of its code`, async () => {
      const before = await user.portolan('plugins');
      const packed = await user.pack(`refused-${code}`, {
        ...MANIFEST,
        name: 'acme-refused',
        ...change,
        scripts: { postinstall: user.mark('refused') },
      });
      const installed = await user.portolan('plugins', 'install', `file:${packed}`, '--allow-scripts');
      expect(installed).to.include({ status: code, stdout: '' });
      expect(installed.stderr).to.include(says);
      expect(await user.portolan('plugins')).to.deep.equal(before);
      expect(await readdir(path.join(user.folder, 'data/portolan/node_modules'))).not.to.include(
        'acme-refused',
      );
      expect(await readdir(user.folder)).not.to.include('refused');
    });
  }

  it('keeps the earlier version when the new one is rejected', async () => {
    await user.portolan(
      'plugins',
      'install',
      `file:${await user.pack('kept', { ...MANIFEST, name: 'acme-kept' })}`,
    );
    const manifest = { ...MANIFEST, name: 'acme-kept', version: '2.0.0', portolan: { plugin: '.' } };
    const refused = await user.portolan('plugins', 'install', `file:${await user.pack('kept-2', manifest)}`);
    expect(refused.status, refused.stderr).to.equal(2);
    expect((await user.portolan('plugins')).stdout).to.include('acme-kept 1.2.3');
    await user.portolan('plugins', 'uninstall', 'acme-kept');
  });

  it('runs install scripts only with --allow-scripts, without variables of Portolan and credentials', async () => {
    const packed = await user.pack('scripts', {
      ...MANIFEST,
      name: 'acme-scripts',
      scripts: { install: `env > ${path.join(user.folder, 'scripts-ran')}` },
    });
    // These npm settings of a user do not block scripts that the command line allows.
    await writeFile(path.join(user.folder, '.npmrc'), 'strict-allow-scripts=true\nignore-scripts=true\n');
    const secrets = {
      PORTOLAN_SECRETS_PASSWORD: 'correct horse',
      PORTOLAN_SECRET_KEY: 'battery staple',
      NPM_TOKEN: 'battery token',
    };
    const without = await user.runAs(['plugins', 'install', `file:${packed}`], secrets);
    expect(without).to.include({ status: 0, stdout: 'installed acme-scripts 1.2.3\n' });
    expect(without.stderr).to.include('install scripts of acme-scripts@1.2.3 did not run');
    expect(await readdir(user.folder)).not.to.include('scripts-ran');
    const allowed = await user.runAs(['plugins', 'install', `file:${packed}`, '--allow-scripts'], secrets);
    expect(allowed).to.include({ status: 0, stderr: '' });
    const environment = await readFile(path.join(user.folder, 'scripts-ran'), 'utf8');
    expect(environment).to.include('npm_package_name=acme-scripts');
    expect(environment).not.to.match(/PORTOLAN|correct horse|battery/);
    await rm(path.join(user.folder, '.npmrc'));
    await user.portolan('plugins', 'uninstall', 'acme-scripts');
  });

  it('removes a package whose install script fails', async () => {
    const packed = await user.pack('failing', {
      ...MANIFEST,
      name: 'acme-failing',
      scripts: { install: 'exit 3' },
    });
    const installed = await user.portolan('plugins', 'install', `file:${packed}`, '--allow-scripts');
    expect(installed.status).to.equal(1);
    expect(installed.stderr).to.include('could not run the install scripts');
    expect((await user.portolan('plugins')).stdout).not.to.include('acme-failing');
  });

  it('runs no script of a Git repository while npm prepares it', async () => {
    const source = await user.write('repository', {
      ...MANIFEST,
      name: 'acme-repository',
      scripts: { prepare: user.mark('prepared'), postinstall: user.mark('prepared') },
    });
    await commitAll(source);
    const installed = await user.portolan('plugins', 'install', `git+file://${source}`);
    expect(installed).to.include({ status: 0, stdout: 'installed acme-repository 1.2.3\n' });
    expect(await readdir(user.folder)).not.to.include('prepared');
    await user.portolan('plugins', 'uninstall', 'acme-repository');
  });

  describe('with a Git repository whose .npmrc names another git', () => {
    let evil: string;
    const secrets = { GITHUB_TOKEN: 'ghp_env', NPM_TOKEN: 'npm_env', npm_config__authToken: 'config_env' };
    before(async () => {
      // npm installs the development dependency in its clone, where `.npmrc` names the program that fetches it.
      evil = await user.write('evil', {
        ...MANIFEST,
        name: 'acme-evil',
        scripts: { prepare: user.mark('evil-ran') },
        devDependencies: { inner: 'git+ssh://git@nowhere.invalid/acme/inner.git' },
      });
      await writeFile(path.join(evil, '.npmrc'), 'git=./evil.sh\nallow-git=all\nignore-scripts=false\n');
      await writeFile(path.join(evil, 'evil.sh'), `#!/bin/sh\nenv > ${user.folder}/evil-ran\nexit 1\n`, {
        mode: 0o755,
      });
      await commitAll(evil);
    });
    afterEach(async () => {
      expect(await readdir(user.folder)).not.to.include('evil-ran');
      expect((await user.portolan('plugins')).stdout).not.to.match(/acme-(?:depends|evil)/);
    });
    const packDependent = async (): Promise<string> =>
      await user.pack('depends', {
        ...MANIFEST,
        name: 'acme-depends',
        dependencies: { 'acme-evil': `git+file://${evil}` },
      });

    it('rejects a Git dependency of a plugin, also when the environment allows it', async () => {
      const env = { ...secrets, NPM_CONFIG_ALLOW_GIT: 'all', NPM_CONFIG_GIT: path.join(evil, 'evil.sh') };
      const { status, stderr } = await user.runAs(
        ['plugins', 'install', `file:${await packDependent()}`],
        env,
      );
      expect(status, stderr).to.equal(1);
      expect(stderr).to.match(/packages of type "git" have been disabled.*acme-evil|acme-evil.*"git"/s);
      expect(stderr).to.include('hint: the plugin depends on a Git repository');
    });

    it('runs the git of PATH when --allow-scripts lets npm fetch a Git dependency', async () => {
      const packed = await packDependent();
      const { status, stderr } = await user.runAs(
        ['plugins', 'install', `file:${packed}`, '--allow-scripts'],
        secrets,
      );
      expect(status, stderr).to.equal(1);
      expect(stderr).to.include('nowhere.invalid');
    });

    it('runs the git of PATH when the user names the repository', async () => {
      const { status, stderr } = await user.runAs(['plugins', 'install', `git+file://${evil}`], secrets);
      expect(status, stderr).to.equal(1);
      expect(stderr).to.include('nowhere.invalid');
    });
  });

  for (const [title, isCloned] of [
    ['gives npm the credentials of the package index when it clones no repository', false],
    ['gives npm no credential when it clones a repository', true],
  ] as const) {
    it(title, async () => {
      const git = path.join(user.folder, 'bin/git');
      const name = isCloned ? 'cloned' : 'packed';
      await mkdir(path.dirname(git), { recursive: true });
      const seen = path.join(user.folder, `seen-${name}`);
      await writeFile(git, `#!/bin/sh\nenv > ${seen}\nexit 1\n`, { mode: 0o755 });
      const requests: string[] = [];
      const index = createServer((request, response) => {
        requests.push(request.headers.authorization ?? '');
        response.writeHead(404).end('{}');
      }).listen(0, '127.0.0.1');
      await once(index, 'listening');
      // SAFETY: the server listens on a port.
      const { port } = index.address() as AddressInfo;
      await writeFile(
        path.join(user.folder, '.npmrc'),
        `//127.0.0.1:${port}/:_authToken=\${NPM_TOKEN}\nfetch-retries=0\n`,
      );
      const env = {
        PATH: `${path.dirname(git)}${path.delimiter}${process.env['PATH'] ?? ''}`,
        PORTOLAN_NPM_REGISTRY: `http://127.0.0.1:${port}/`,
        npm_config_offline: 'false',
        // `npm run` sets this to the file of the developer.
        npm_config_userconfig: path.join(user.folder, '.npmrc'),
        'npm_config_//nowhere.invalid/:_authToken': 'battery config',
        GITHUB_TOKEN: 'battery hub',
        AWS_SECRET_ACCESS_KEY: 'battery cloud',
        NPM_TOKEN: 'battery-index',
        ...(isCloned && { HTTPS_PROXY: 'http://proxy.invalid:1' }),
      };
      try {
        const spec = isCloned ? 'git+https://nowhere.invalid/acme.git' : 'acme-unknown';
        expect((await user.runAs(['plugins', 'install', spec], env)).status).to.equal(1);
      } finally {
        index.close();
        await rm(path.join(user.folder, '.npmrc'));
        await rm(path.dirname(git), { recursive: true });
      }
      if (isCloned) {
        const environment = await readFile(seen, 'utf8');
        expect(environment).to.include('HTTPS_PROXY=http://proxy.invalid:1');
        expect(environment).not.to.match(/battery|PORTOLAN/);
      } else {
        expect(requests).to.deep.equal(['Bearer battery-index']);
      }
    });
  }

  it('sends no request for @portolan/* to the package index, and shares the classes of the host', async () => {
    const requests: string[] = [];
    const index = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(404).end('{}');
    }).listen(0, '127.0.0.1');
    await once(index, 'listening');
    const packed = await user.pack('sharing', {
      ...MANIFEST,
      name: 'acme-sharing',
      peerDependencies: { '@portolan/plugin-api': '^7.0.0', '@portolan/outbound': '*' },
      dependencies: { '@portolan/entry-format': '^3.0.0' },
    });
    try {
      // SAFETY: the server listens on a port.
      const { port } = index.address() as AddressInfo;
      const env = { npm_config_offline: 'false', npm_config_registry: `http://127.0.0.1:${port}/` };
      const installed = await user.runAs(['plugins', 'install', `file:${packed}`], env);
      expect(installed, installed.stderr).to.include({ status: 0, stderr: '' });
      expect(requests).to.deep.equal([]);
      const unknown = await user.runAs(['plugins', 'install', 'acme-unknown'], env);
      expect(unknown.status).to.equal(1);
      expect(unknown.stderr).to.include('could not install acme-unknown');
      expect(requests).to.deep.equal(['/acme-unknown']);
    } finally {
      index.close();
    }
    const { status, stderr } = await user.portolan('hail', 'sharing');
    expect({ status, stderr }).to.deep.equal({
      status: 1,
      stderr: 'error: the harbour is closed\nhint: wait for the tide\n',
    });
    await user.portolan('plugins', 'uninstall', 'acme-sharing');
  });

  it('installs a folder whose imports of @portolan/* resolve to those of the host', async () => {
    await user.write('folder', { ...MANIFEST, name: 'acme-folder' });
    expect(await user.portolan('plugins', 'install', './folder')).to.include({
      status: 0,
      stdout: 'installed acme-folder 1.2.3\n',
    });
    expect((await user.portolan('hail', 'sharing')).stderr).to.include('the harbour is closed');
    await user.portolan('plugins', 'uninstall', 'acme-folder');
  });

  for (const place of ['file:source/PACKED', './source/PACKED', 'file:./source/PACKED', 'source/PACKED']) {
    it(`finds ${place} from the working directory`, async () => {
      const named = place.replace('PACKED', path.basename(tarball));
      const { status, stdout, stderr } = await user.portolan('plugins', 'install', named, '--verbose');
      expect(status, stderr).to.equal(0);
      expect(stdout).to.equal('installed acme-portolan-harbour 1.2.3\n');
      expect(stderr).to.include('npm verbose');
    });
  }

  it('fails when the file does not exist', async () => {
    const { status, stderr } = await user.portolan(
      'plugins',
      'install',
      `file:${path.join(user.folder, 'nowhere.tgz')}`,
    );
    expect(status).to.equal(1);
    expect(stderr).to.match(/^error: npm could not install .*nowhere\.tgz: ENOENT/m);
  });
});

/** Creates a Git repository in a folder, with one commit of all files. */
async function commitAll(folder: string): Promise<void> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example'];
  for (const words of [
    ['init', '--quiet'],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'first'],
  ]) {
    await promisify(execFile)('git', [...identity, ...words], { cwd: folder });
  }
}

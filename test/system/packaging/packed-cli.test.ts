import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { openTenWorkloads } from '../../../bench/cli/ten-workloads.ts';
import { readBundledLibraries, SBOM_FILE } from '../../../scripts/bundled-manifests.ts';
import { bundledPackage } from '../../../scripts/bundled-packages.ts';
import { run } from '../../../scripts/run.ts';
import { LICENCES_FILE } from '../../../scripts/write-licences.ts';
import { type CommandOptions, type Finished, runPortolan } from '../../support/command-line.ts';
import { installPacked, type PackedInstallation } from './packed-installation.ts';
import { packedInstallCases } from './packed-install-cases.ts';
import { packedPluginCases } from './packed-plugin-cases.ts';
import { packedServerCases } from './packed-server-cases.ts';

const root = path.resolve(import.meta.dirname, '../../..');

const CONFIG = `
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "127.0.0.1:0" }
`;

/** Maximum number of installed packages apart from those of the repository, with a small reserve. */
const MAX_PACKAGES = 275;
const MAX_BYTES = 85e6; // 16 MB of them are the engine for Cedar policies.
/** Libraries in bundles that no other package installs. */
const PUT_IN = ['@kubernetes/client-node', 'cosmiconfig', 'dockerode'];

/** A plugin with an error of the class that it shares with the server. */
const FAILING_PLUGIN = `
import { API_VERSION, PortolanError } from '@portolan/plugin-api';
export default {
  name: 'failing', apiVersion: API_VERSION,
  apply() { throw new PortolanError('ERR_NO_WIKI', 'unavailable', 'the wiki is away', { hint: 'bring it back' }); },
};
`;

const TYPED_PLUGIN = `
import type { ConfigBlock, Plugin, SourceKind } from '@portolan/plugin-api';
const block = { type: 'object', properties: { space: { type: 'string', default: 'A' } } } as const satisfies ConfigBlock;
const kind: SourceKind<typeof block> = {
  kind: 'wiki', config: block, claimsFrom: 'source',
  create: ({ space }) => ({ async *readEntries() { yield { skipped: space.toUpperCase(), because: 'no page.' }; } }),
};
export default { name: 'wiki', apiVersion: 2, contributes: { sources: [kind] } } satisfies Plugin;
`;

/** Licences that a library in a package may have: MIT, ISC, Apache or Blue Oak. */
const LICENCE =
  /^(?:Permission (?:is hereby granted, free of charge|to use, copy, modify)|\s*Apache License$|# Blue Oak Model License$)/m;

describe('the packed packages', function () {
  this.timeout(180_000); // The hook builds, packs and installs everything once.

  let installation: PackedInstallation;
  const portolan = (args: readonly string[], options: CommandOptions = {}): Promise<Finished> =>
    runPortolan(args, { launcher: installation.launcher, cwd: installation.folder, ...options });

  before(async function () {
    installation = await installPacked(this);
    await installation.write('.', { 'portolan.config.yaml': CONFIG, 'catalogue.json': '{}' });
  });
  after(() => installation.remove());

  it('install at most 275 third-party packages and 85 MB', async () => {
    const { packages, bytes } = await installation.broughtAlong();
    const counted = `${packages.length} packages, ${Math.round(bytes / 1e6)} MB`;
    expect(packages.length, counted).to.be.within(1, MAX_PACKAGES);
    expect(bytes, counted).to.be.below(MAX_BYTES);
    for (const library of PUT_IN)
      expect(packages, `what is part of our files: ${library}`).not.to.include(library);
  });

  it('install no package with an install script', async () => {
    expect(await installation.withInstallScripts()).to.deep.equal([]);
    expect((await installation.broughtAlong()).packages)
      .to.include('npm')
      .and.not.include('yarn');
  });

  it('pass publint', async () => {
    const problems: string[] = [];
    for (const [name, tarball] of installation.tarballs) {
      const file = await readFile(tarball);
      const { messages, pkg } = await publint({
        pack: {
          tarball: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength),
        },
      });
      problems.push(
        ...messages.map((message) => `${name}: ${formatMessage(message, pkg ?? {}) ?? message.code}`),
      );
    }
    expect(problems).to.deep.equal([]);
  });

  it('have no sources, no tests and no export condition for sources', async () => {
    for (const [name, tarball] of installation.tarballs) {
      const files = (await run('tar', ['-tzf', tarball])).trim().split('\n');
      expect(files, name).to.include('package/LICENSE').and.to.include('package/README.md');
      expect(
        files.filter((file) => /\/(src|test)\//.test(file) || /(?<!\.d)\.ts$/.test(file)),
        name,
      ).to.deep.equal([]);
      expect(await run('tar', ['-xzOf', tarball, 'package/package.json']), name).not.to.include(
        '@portolan/source"',
      );
    }
  });

  it('have the licences of their bundled libraries', async () => {
    for (const [name, tarball] of installation.tarballs) {
      const { inlined } = bundledPackage(name);
      const files = (await run('tar', ['-tzf', tarball])).trim().split('\n');
      expect(files.includes(`package/dist/${LICENCES_FILE}`), name).to.equal(inlined.length > 0);
      if (inlined.length === 0) continue;
      const licences = await run('tar', ['-xzOf', tarball, `package/dist/${LICENCES_FILE}`]);
      for (const library of inlined) expect(licences).to.match(new RegExp(`^${library} \\d`, 'm'));
      expect(licences, name).to.match(LICENCE);
    }
  });

  it('have an SBOM that lists every library in their files', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    for (const [name, tarball] of installation.tarballs) {
      const text = await run('tar', ['-xzOf', tarball, `package/dist/${SBOM_FILE}`]);
      expect(await validator.validate(text), name).to.equal(null);
      const listed = await readBundledLibraries(path.join(installation.packageFolder(name), 'dist'));
      expect(await installation.bundledNames(name), name).to.have.members([
        ...new Set(listed.map((library) => library.name)),
      ]);
    }
  });

  it('show npm audit every bundled library with its real version', async () => {
    const sent = await installation.audited();
    const bundled = await Promise.all(
      [...installation.tarballs.keys()].map((name) =>
        readBundledLibraries(path.join(installation.packageFolder(name), 'dist')),
      ),
    );
    const unseen = bundled.flat().filter(({ name, version }) => sent[name]?.includes(version) !== true);
    expect(bundled.flat()).to.have.length.above(28);
    expect(unseen.map(({ name, version }) => `${name}@${version}`)).to.deep.equal([]);
  });

  it('give npm a tree without missing packages and wrong versions', async () => {
    await installation.checkTree();
  });

  it('have no library that Portolan never calls', async () => {
    const bundled = await installation.bundledNames('@portolan/runtime-docker');
    expect(bundled).to.include('dockerode');
    expect(bundled.filter((name) => /grpc|protobuf|ssh2/.test(name))).to.deep.equal([]);
  });

  it('list workloads without loading the engine client and the document validators', async () => {
    const folders = await installation.write('ten', {});
    const ten = await openTenWorkloads(folders);
    try {
      const hook = `import { registerHooks } from 'node:module';
        registerHooks({ load: (url, context, next) => (process.stderr.write('loads ' + url + '\\n'), next(url, context)) });
        process.on('exit', () => process.stderr.write(process.moduleLoadList.map((one) => 'has ' + one + '\\n').join('')));`;
      const { status, stdout, stderr } = await portolan(['list'], {
        env: {
          NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
          ...Object.fromEntries(
            ['CONFIG_HOME', 'DATA_HOME', 'STATE_HOME', 'RUNTIME_DIR'].map((name) => [`XDG_${name}`, folders]),
          ),
        },
      });
      expect(status, stderr).to.equal(0);
      expect(stdout.match(/^weather-\d+ +running /gm)).to.have.length(10);
      expect(stderr).to.match(/^loads .*list-workloads/m);
      expect(stderr).not.to.match(/^loads .*(?:dockerode|docker-modem|runtime-docker|entry-format|\/ajv)/m);
      expect(stderr).to.match(/^has NativeModule net$/m);
      expect(stderr).not.to.match(
        /^has NativeModule (?:http|_http_client|tls|internal\/crypto\/hash|internal\/blocklist)$/m,
      );
    } finally {
      await ten.close();
    }
  });

  it('print their help and version', async () => {
    const help = await portolan(['--help']);
    expect(help).to.include({ status: 0, stderr: '' });
    expect(help.stdout).to.match(/^ {2}serve +/m);
    const version = await portolan(['version', '--format', 'json']);
    expect(JSON.parse(version.stdout))
      .to.have.property('version')
      .that.matches(/^\d+\.\d+\.\d+/);
  });

  it('name the nearest command in the error about an unknown one', async () => {
    for (const words of [['plugin', 'install', 'x'], ['plugins', 'instal', 'x'], ['plugins:instal']]) {
      const { status, stderr } = await portolan(words);
      expect({ status, hint: stderr.trim().split('\n').at(-1) }, words.join(' ')).to.deep.equal({
        status: 2,
        hint: 'hint: did you mean `portolan plugins install`?',
      });
    }
  });

  it('check a configuration found from the working directory', async () => {
    const checked = await portolan(['config', 'check']);
    expect(checked).to.deep.include({ status: 0, stderr: '' });
    expect(checked.stdout).to.include('portolan.config.yaml');
  });

  it('cache compiled code for the next start', async () => {
    const cache = path.join(installation.folder, 'compile-cache');
    await portolan(['--help'], { env: { NODE_COMPILE_CACHE: cache } });
    const kept = await readdir(cache, { recursive: true, withFileTypes: true });
    expect(kept.filter((entry) => entry.isFile())).to.not.be.empty;
  });

  it('recognize an error of a plugin as their own class, and name the plugin', async () => {
    const files = {
      'portolan.config.yaml': `plugins: [./failing.mjs]${CONFIG}`,
      'failing.mjs': FAILING_PLUGIN,
    };
    const cwd = await installation.write('failing', files);
    const { status, stdout, stderr } = await portolan(['serve', '--debug'], { cwd });
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr)
      .to.match(/^error: .*failing.*: the wiki is away\.$/m)
      .and.to.match(/^hint: bring it back$/m);
    expect(stderr).to.match(/^ {4}at .*bootKernel \(.*kernel\/dist\/[\w-]+\.js:\d+:\d+\)$/m);
    expect(stderr).to.match(/^ {4}at .*apply \(.*failing\.mjs:\d+:\d+\)$/m);
  });

  it('log in readable form when the variable requests it', async () => {
    const env = { PORTOLAN_LOG_FORMAT: 'pretty', LOG_LEVEL: 'loud' };
    const { status, stderr } = await portolan(['migrate', 'status'], { env });
    expect(status).to.equal(0);
    expect(stderr).to.match(/^\[[\d:.]+\] WARN: unknown log level$/m);
  });

  packedServerCases(() => installation);
  packedPluginCases(() => installation);
  packedInstallCases(() => installation);

  it('type-check a plugin against their declarations', async () => {
    const folder = await installation.write('.', { 'wiki.ts': TYPED_PLUGIN });
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    await run(process.execPath, [tsc, ...options, 'wiki.ts'], { cwd: folder });
  });
});

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { directoriesOf } from '@portolan/workload';
import { buildPackage, describePackageBuild } from '@portolan/workload/build';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import { expect } from 'chai';
import { packContext } from '../../../packages/workload/src/build/context/pack-context.ts';
import { listBuiltImages } from '../../../packages/workload/src/build/images/list-built-images.ts';
import { askInitialize, runToEnd } from './support/ask-server.ts';
import { BuildStage } from './support/build-stage.ts';
import { caughtError } from './support/caught-error.ts';
import { NPM_HOST } from './support/local-indexes.ts';
import { NODE_SERVER, publishNpm } from './support/npm-package.ts';

const NPMRC = { npm_config_registry: `https://${NPM_HOST}/` };
const NOTHING = { builder_image: '', additional_packages: [], build_with: [], runtime_env: {} };
const HOUR_MS = 60 * 60 * 1000;

/** Program that connects through the proxy to a name and to the address of this host. */
const PHONE_HOME = `
const { request } = require('node:http');
const { connect } = require('node:net');
const { writeFileSync } = require('node:fs');
const proxy = new URL(process.env.HTTPS_PROXY);
const viaProxy = new Promise((settle) => {
  const asked = request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: 'collector.acme.example:443' });
  asked.on('connect', ({ statusCode }) => settle('proxy ' + statusCode)).on('error', (e) => settle('proxy ' + e.code)).end();
});
const straight = (host, port) => new Promise((settle) => {
  connect(port, host, () => settle(host + ' open')).on('error', (e) => settle(host + ' ' + e.code));
});
Promise.all([viaProxy, straight('collector.acme.example', 443), straight('172.17.0.1', 80), straight('192.0.2.1', 80)])
  .then((found) => { writeFileSync('install.txt', found.join(', ')); process.exit(0); });
`;

describe('package builds of npx:// targets', function () {
  this.timeout(120_000);
  const stage = new BuildStage();
  before(async function () {
    await stage.open(this, ['node', 'node-plain']);
    for (const version of ['1.0.0', '1.1.0']) {
      await publishNpm(stage.indexes, stage.home, { name: '@acme/notes', version });
    }
  });
  after(async () => {
    await stage.close();
  });

  const context = (change: Parameters<BuildStage['context']>[0] = {}): ReturnType<BuildStage['context']> => {
    const usual = stage.context();
    return { ...usual, environment: { ...usual.environment, ...NPMRC }, ...change };
  };
  const container = (
    image: string,
  ): { name: string; image: string; labels: Readonly<Record<string, string>> } => ({
    name: stage.engine.name(),
    image,
    labels: stage.engine.labels,
  });

  it('builds the newest version once for two concurrent calls, and runs as user 65532 on a read-only root', async () => {
    const request = stage.request('npx://@acme/notes', 'node', { entryArguments: ["it's $HOME"] });
    // Two builds of the same package at the same time: one builds, the other waits.
    const both = await Promise.all([stage.provide(request, context()), stage.provide(request, context())]);
    expect(both.map((one) => one.built)).to.have.members([false, true]);
    const built = { ...both[0], built: true };
    expect(both[1].id).to.equal(built.id);
    expect(built.notes).to.deep.equal([]);
    expect(built.reference).to.match(/^portolanlocal\/npx-acme-notes:[0-9a-f]{16}$/);
    expect(built.package).to.deep.include({ version: '1.1.0' });
    const { serverInfo } = await askInitialize(stage.engine.runtime, container(built.reference));
    expect(serverInfo.name).to.equal("notes it's $HOME");
    const image = await stage.engine.runtime.inspectImage(built.reference);
    expect(image?.user).to.equal('65532:65532');
    const asked = stage.indexes.asked.length;
    const again = await stage.provide(request, context());
    expect(again).to.deep.equal({ ...built, built: false });
    expect(stage.indexes.asked.length, 'questions of a cached build').to.equal(asked);
    expect(await stage.built()).to.deep.equal([built.reference]);
  });

  it('builds a separate image for another state folder, and reuses only its own', async () => {
    const request = stage.request('npx://@acme/notes', 'node', { entryArguments: ["it's $HOME"] });
    const home = await stage.engine.folder();
    const place = { platform: 'linux', environment: {}, home, temporary: home, userId: undefined } as const;
    const other = context({ directories: directoriesOf(place) });
    const first = await stage.provide(request, context());
    const second = await stage.provide(request, other);
    expect([first.built, second.built]).to.deep.equal([false, true]);
    expect(second.reference, 'tag of the other state folder').to.not.equal(first.reference);
    expect(await stage.provide(request, other)).to.deep.equal({ ...second, built: false });
    expect(await stage.provide(request, context()), 'the first image').to.deep.equal(first);
    await stage.engine.runtime.removeImage(second.reference);
    expect(await stage.built()).to.deep.equal([first.reference]);
  });

  it('uses the last built version while the index does not respond', async () => {
    const request = stage.request('npx://@acme/notes', 'node', { entryArguments: ["it's $HOME"] });
    const later = context({ clock: () => new Date(Date.now() + 2 * HOUR_MS) });
    stage.indexes.isUp = false;
    try {
      const built = await stage.provide(request, later);
      expect(built.built).to.equal(false);
      expect(built.notes.join()).to.match(
        /could not be looked up .*status 503.* 1\.1\.0 is used, because it is already built/,
      );
    } finally {
      stage.indexes.isUp = true;
    }
  });

  it('gives an install script no network, and reports the hosts that it tried', async () => {
    await publishNpm(stage.indexes, stage.home, {
      name: 'caller',
      version: '1.0.0',
      files: { 'server.js': NODE_SERVER, 'install.js': PHONE_HOME },
      more: { scripts: { install: 'node install.js' } },
    });
    const built = await stage.provide(stage.request('npx://caller@1.0.0', 'node'), context());
    const { serverInfo } = await askInitialize(stage.engine.runtime, container(built.reference));
    expect(serverInfo.name).to.equal(
      'proxy 403, collector.acme.example ENOTFOUND, 172.17.0.1 ENETUNREACH, 192.0.2.1 ENETUNREACH',
    );
    expect(built.notes).to.deep.equal([
      'The build of npx://caller@1.0.0 was denied access to: collector.acme.example:443.',
    ]);
    expect(new Set(stage.indexes.tunnels)).to.deep.equal(new Set([`${NPM_HOST}:443`]));
  });

  it('builds a local folder with its own build script', async () => {
    await publishNpm(stage.indexes, stage.home, { name: 'left-part', version: '1.0.0' });
    await publishNpm(stage.indexes, stage.home, { name: 'dev-part', version: '1.0.0' });
    const root = stage.path('npm-project');
    const write = async (file: string, text: string): Promise<void> => {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true });
      await writeFile(path.join(root, file), text);
    };
    const manifest = {
      name: '@acme/local',
      version: '1.0.0',
      bin: { one: 'dist/one.js', two: 'dist/two.js' },
      scripts: { build: 'node build.js' },
      dependencies: { 'left-part': '1.0.0' },
      devDependencies: { 'dev-part': '1.0.0' },
    };
    await write('package.json', JSON.stringify(manifest));
    await write('source.js', NODE_SERVER);
    await write('node_modules/left-part/package.json', 'of this machine');
    await write('.npmrc', 'registry=https://elsewhere.acme.example/');
    await write('secret.pem', 'private');
    await write('.dockerignore', '*.pem');
    // The build needs a development dependency, which the image does not contain.
    await write(
      'build.js',
      `require.resolve('dev-part/package.json');
      const { cpSync, mkdirSync } = require('node:fs');
      mkdirSync('dist');
      for (const name of ['one', 'two']) cpSync('source.js', 'dist/' + name + '.js');`,
    );
    const inside = context({ workingDirectory: root });
    const built = await stage.provide(stage.request('npx://.#two', 'node'), inside);
    const { serverInfo } = await askInitialize(stage.engine.runtime, container(built.reference));
    expect(serverInfo.name).to.equal('notes');
    const script = `const { readdirSync } = require('node:fs');
      const root = '/app/node_modules/@acme/local/';
      console.log(readdirSync(root + 'node_modules').filter((one) => one[0] !== '.').join(), readdirSync(root).join());`;
    const said = await runToEnd(stage.engine.runtime, {
      ...container(built.reference),
      entrypoint: ['node', '-e', script],
    });
    expect(said).to.equal(
      'left-part .dockerignore,build.js,dist,node_modules,package-lock.json,package.json,source.js',
    );
    expect((await stage.provide(stage.request('npx://.#two', 'node'), inside)).built).to.equal(false);
    await write('source.js', NODE_SERVER.replace("['notes'", "['changed'"));
    const changed = await stage.provide(stage.request('npx://.#one', 'node'), inside);
    expect(
      (await askInitialize(stage.engine.runtime, container(changed.reference))).serverInfo.name,
    ).to.equal('changed');
    const many = await caughtError(stage.provide(stage.request('npx://.', 'node'), inside));
    expect(many).to.include({ code: 'ERR_PACKAGE_BUILD' });
    expect(many.message).to.include('has several programs, and none is called local: one, two');
  });

  it('starts the main file of a folder without programs', async () => {
    const root = stage.path('npm-main');
    await mkdir(root);
    await writeFile(path.join(root, 'package.json'), '{"main":"index.js"}');
    await writeFile(path.join(root, 'index.js'), NODE_SERVER.replace(/^#!.*/, ''));
    const built = await stage.provide(stage.request('npx://./npm-main', 'node'), context());
    expect((await askInitialize(stage.engine.runtime, container(built.reference))).serverInfo.name).to.equal(
      'notes',
    );
  });

  it('stops a build that exceeds build.timeout, and removes everything of it', async () => {
    const before = await stage.built();
    await publishNpm(stage.indexes, stage.home, {
      name: 'sleeper',
      version: '1.0.0',
      files: { 'server.js': NODE_SERVER, 'install.js': 'setInterval(() => {}, 1000);' },
      more: { scripts: { install: 'node install.js' } },
    });
    const user = { ...stage.context().user };
    const limits = { ...user.build.limits, timeoutMs: 4000 };
    const error = await caughtError(
      stage.provide(
        stage.request('npx://sleeper@1.0.0', 'node'),
        context({ user: { ...user, build: { ...user.build, limits } } }),
      ),
    );
    expect(error.code).to.equal('ERR_PACKAGE_BUILD');
    expect(error.message).to.equal('The build of npx://sleeper@1.0.0 did not end within 4 s.');
    expect(await stage.built()).to.deep.equal(before);
    expect(await stage.engine.runtime.listContainers(stage.engine.labels)).to.deep.equal([]);
  });

  it('trusts the certificates of --ca-cert in the build and at run time, and fails without them', async () => {
    const before = await stage.built();
    const target = ['npx://@acme/notes@1.0.0', 'node-plain'] as const;
    const error = await caughtError(
      stage.provide(stage.request(...target, { caCert: undefined }), context()),
    );
    expect(error.code).to.equal('ERR_PACKAGE_BUILD');
    expect(error.message).to.match(/^npx:\/\/@acme\/notes@1\.0\.0 cannot be built: /);
    expect(error.message).to.match(/SELF_SIGNED_CERT|self-signed certificate/);
    expect(error.hint).to.contain('--ca-cert');
    expect(await stage.built()).to.deep.equal(before);
    const built = await stage.provide(stage.request(...target), context());
    const script = `const fs = require('node:fs'), { X509Certificate } = require('node:crypto');
      for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'npm_config_cafile', 'PIP_CERT', 'REQUESTS_CA_BUNDLE']) {
        const last = fs.readFileSync(process.env[name], 'utf8').trim().split(/(?=-----BEGIN)/).at(-1);
        console.log(new X509Certificate(last).subject);
      }
      console.log(process.getuid());`;
    const said = await runToEnd(stage.engine.runtime, {
      ...container(built.reference),
      entrypoint: ['node', '-e', script],
    });
    expect(said).to.equal(`${'CN=stand-in\n'.repeat(5)}65532`);
  });

  it('shows the last output of a package that cannot start, and removes its image', async () => {
    const before = await stage.built();
    const more = { bin: { library: 'gone.js' } };
    await publishNpm(stage.indexes, stage.home, { name: 'library', version: '1.0.0', more });
    const error = await caughtError(stage.provide(stage.request('npx://library@1.0.0', 'node'), context()));
    expect(error.code).to.equal('ERR_PACKAGE_BUILD');
    const [first = '', ...rest] = error.message.split('\n');
    expect(first).to.match(/cannot be built: .*returned a non-zero code: 1\.$/);
    expect(rest.map((line) => line.trim())).to.include('portolan: library has no file gone.js');
    expect(error.message).not.to.contain('also known as');
    expect(error.message).not.to.match(/intermediate container|--->|process\.exit/);
    expect(await stage.built()).to.deep.equal(before);
    await leavesNothing();
  });

  it('rejects a package without a program and an unknown version before it pulls or builds', async () => {
    await publishNpm(stage.indexes, stage.home, { name: 'left', version: '1.0.0', more: { bin: {} } });
    const asked: string[] = [];
    const onProgress = ({ step }: { readonly step: string }): void => void asked.push(step);
    const provide = async (target: string): Promise<unknown> =>
      await caughtError(stage.provide(stage.request(target, 'node'), context(), { onProgress }));
    expect(await provide('npx://left')).to.include({
      code: 'ERR_PACKAGE_PROGRAM',
      message: 'left@1.0.0 has no program that could be run.',
    });
    expect(await provide('npx://left@99.0.0')).to.include({ code: 'ERR_PACKAGE_NOT_FOUND' });
    expect(asked).to.deep.equal([]);
  });

  it('removes everything of an aborted build', async () => {
    const before = await stage.built();
    await publishNpm(stage.indexes, stage.home, {
      name: 'hanging',
      version: '1.0.0',
      more: { scripts: { install: 'sleep 600' } },
    });
    const stop = new AbortController();
    const tarball = `${NPM_HOST}/hanging/-/1.0.0.tgz`;
    const building = caughtError(
      stage.provide(stage.request('npx://hanging@1.0.0', 'node'), context(), { signal: stop.signal }),
    );
    await eventually(() => expect(stage.indexes.asked).to.include(tarball), { withinMs: 30_000 });
    stop.abort(new Error('enough'));
    expect((await building).message).to.equal('enough');
    expect(await stage.built()).to.deep.equal(before);
    await leavesNothing();
  });

  it('describes a build without side effects, and adds a tag on request', async () => {
    const runtimeConfigs = { npx: { ...NOTHING, builder_image: stage.base('node') } };
    const user = { ...NO_USER_SETTINGS, runtimeConfigs, caCertificatePath: stage.indexes.certificate };
    const home = await stage.engine.folder();
    const directories = directoriesOf({
      platform: 'linux',
      environment: {},
      home,
      temporary: home,
      userId: undefined,
    });
    const fresh = context({ user, directories });
    const tag = `portolan-test-build/named:${stage.engine.run}`;
    const build = { target: 'npx://@acme/notes', args: ['named'], tag };
    const before = await stage.built();
    const described = await describePackageBuild(build, fresh);
    expect(described).to.deep.include({ cached: false, baseImages: [stage.base('node')] });
    expect(described.hosts).to.deep.equal([{ host: NPM_HOST, port: 443 }]);
    expect(described.dockerfile).to.contain('ENTRYPOINT ["/app/start", "named"]');
    expect(await readdir(home)).to.deep.equal([]);
    expect(await stage.built()).to.deep.equal(before);
    const options = { labels: stage.engine.labels };
    const built = await buildPackage(build, fresh, options);
    expect(built).to.deep.include({ reference: tag, built: true });
    expect((await stage.engine.runtime.inspectImage(tag))?.id).to.equal(built.id);
    expect((await stage.built()).filter((one) => !before.includes(one))).to.have.members([
      tag,
      described.tag,
    ]);
    expect(await describePackageBuild(build, fresh)).to.deep.include({ cached: true, tag: described.tag });
    const listed = (await listBuiltImages(stage.engine.runtime)).find(
      ({ reference }) => reference === described.tag,
    );
    expect(listed).to.deep.include({ scheme: 'npx', package: '@acme/notes', version: '1.1.0', id: built.id });
  });

  it('rejects a base image with ONBUILD instructions before the engine runs one', async () => {
    const { runtime } = stage.engine;
    const base = `portolan-test-build/triggers:${stage.engine.run}`;
    const dockerfile = `FROM ${stage.base('node')}\nONBUILD RUN touch /triggered && exit 7\nONBUILD USER root\n`;
    const plan = { dockerfile, baseImages: [], buildArguments: {}, files: [] };
    const { onBuild } = await runtime.buildImage(packContext(plan, []), {
      reference: base,
      dockerfile: 'Dockerfile.portolan',
    });
    expect(onBuild).to.deep.equal(['RUN touch /triggered && exit 7', 'USER root']);
    try {
      const before = await stage.built();
      const runtimeConfig = { ...NOTHING, builder_image: base };
      const error = await caughtError(
        stage.provide(stage.request('npx://@acme/notes', 'node', { runtimeConfig }), context()),
      );
      expect(error).to.deep.include({ code: 'ERR_SETTING' });
      expect(error.message).to.contain(base).and.to.contain('"RUN touch /triggered && exit 7"');
      expect(await stage.built()).to.deep.equal(before);
    } finally {
      await runtime.removeImage(base);
    }
    expect(await runtime.listContainers(stage.engine.labels)).to.deep.equal([]);
  });

  it('gives a hint for an unknown package', async () => {
    const error = await caughtError(stage.provide(stage.request('npx://nothing-here', 'node'), context()));
    expect(error).to.deep.include({ code: 'ERR_PACKAGE_NOT_FOUND' });
    expect(error.message).to.contain(NPM_HOST);
  });

  async function leavesNothing(): Promise<void> {
    expect(await stage.engine.runtime.listContainers(stage.engine.labels)).to.deep.equal([]);
    expect(await readdir(stage.path('portolan'))).to.deep.equal([]);
  }

  it('builds an image in which a server may write next to its code when its root is writable', async () => {
    const writes = "require('node:fs').mkdirSync(__dirname + '/logs', { recursive: true });";
    const files = { 'server.js': NODE_SERVER.replace('\n', `\n${writes}\n`) };
    await publishNpm(stage.indexes, stage.home, { name: 'writer', version: '1.0.0', files });
    const built = await stage.provide(stage.request('npx://writer@1.0.0', 'node'), context());
    const writable = { ...container(built.reference), writableRoot: true };
    const { serverInfo } = await askInitialize(stage.engine.runtime, writable);
    expect(serverInfo.name).to.equal('notes');
    const error = await caughtError(askInitialize(stage.engine.runtime, container(built.reference)));
    expect(error.message).to.match(/EROFS|ENOENT: no such file or directory, mkdir/);
  });
});

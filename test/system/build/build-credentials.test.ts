import { readdir } from 'node:fs/promises';
import { inspect } from 'node:util';
import type { ContainerEngine } from '@portolan/plugin-api';
import { eventually, runtimeOfEngine } from '@portolan/plugin-testing';
import type { BuildContext, BuildOptions, BuildRequest } from '@portolan/workload';
import { describePackageBuild } from '@portolan/workload/build';
import { NO_USER_SETTINGS, type UserSettings } from '@portolan/run-spec';
import { expect } from 'chai';
import { askInitialize } from './support/ask-server.ts';
import { BuildStage } from './support/build-stage.ts';
import { caughtError } from './support/caught-error.ts';
import { publishModule } from './support/go-module.ts';
import { GO_HOST, NPM_HOST, PYTHON_HOST } from './support/local-indexes.ts';
import { MemorySecrets } from './support/memory-secrets.ts';
import { NODE_SERVER, publishNpm } from './support/npm-package.ts';
import { publishWheel } from './support/python-package.ts';
import { searchDescription, searchFolder, searchLayers } from './support/search-image.ts';

const TOKEN = 'npm_T0kenOfAcme42';
const PASSWORD = 'Pa55.of-Acme/42';
const BASIC = Buffer.from(`builder:${PASSWORD}`).toString('base64');
/** Some registries have a token in their address. */
const PLACE = 'aT0kenInThePath42';
/** All secrets that could appear somewhere. */
const SECRETS = [
  TOKEN,
  PLACE,
  PASSWORD,
  encodeURIComponent(PASSWORD),
  BASIC,
  Buffer.from(TOKEN).toString('base64').slice(0, -2),
];
const MODULE = 'example.org/acme/private';
const NPMRC = `@acme:registry=https://${NPM_HOST}/\n//${NPM_HOST}/:_authToken=\${ACME_TOKEN}\n`;
type Build = UserSettings['build'];
const FOR_NPM: Partial<Build> = { authFiles: ['npmrc'], fromSecrets: { ACME_TOKEN: 'acme-token' } };
const PRIVATE = 'npx://@acme/private';

/** Server that reports its input and requests it once more. */
const TELLTALE = `
const { request } = require('node:http');
const { hostname, port } = new URL(process.env.http_proxy);
console.error('was given ' + process.env.ACME_TOKEN);
request({ hostname, port, path: 'http://credentials.portolan.internal/' }, (answer) => {
  console.error('was answered ' + answer.statusCode);
  answer.resume();
  process.exit(3);
}).end();
`;

describe('package builds with credentials', function () {
  this.timeout(180_000);
  const stage = new BuildStage();
  before(async function () {
    await stage.open(this, ['node-plain', 'python-plain', 'go-plain']);
    const { indexes, home } = stage;
    await publishNpm(indexes, home, { name: '@acme/private', version: '1.0.0' });
    await publishNpm(indexes, home, {
      name: '@acme/telltale',
      version: '1.0.0',
      files: { 'server.js': NODE_SERVER, 'install.js': TELLTALE },
      more: { scripts: { install: 'node install.js' } },
    });
    await publishNpm(indexes, home, {
      name: '@acme/hanging',
      version: '1.0.0',
      more: { scripts: { install: 'sleep 600' } },
    });
    for (const [what, { type, body }] of [...indexes.answers].filter(([one]) => one.includes('/private'))) {
      const text = String(body).replaceAll(`https://${NPM_HOST}/`, `https://${NPM_HOST}/${PLACE}/`);
      const moved = what.replace(NPM_HOST, `${NPM_HOST}/${PLACE}`);
      indexes.answers.set(moved, { type, body: type === 'application/json' ? text : body });
    }
    publishWheel(indexes, 'py-private', '1.4');
    publishModule(indexes, MODULE, 'v1.2.0');
    indexes.guards.set(NPM_HOST, `Bearer ${TOKEN}`);
    for (const host of [PYTHON_HOST, GO_HOST]) indexes.guards.set(host, `Basic ${BASIC}`);
  });
  after(async () => {
    await stage.close();
  });
  afterEach(async () => {
    expect(await stage.engine.runtime.listContainers(stage.engine.labels)).to.deep.equal([]);
    expect(await readdir(stage.path('portolan'))).to.deep.equal([]);
    expect(await searchFolder(stage.home, SECRETS), 'files of the state').to.deep.equal([]);
    expect(JSON.stringify(stage.engine.logger.lines)).to.satisfy(hidesAll);
  });

  const secretsOf = (more: Readonly<Record<string, string>> = {}): MemorySecrets =>
    new MemorySecrets({ BUILD_AUTH_FILE_npmrc: NPMRC, 'acme-token': TOKEN, ...more });
  const context = (
    build: Partial<Build>,
    secrets: MemorySecrets,
    environment: Readonly<Record<string, string>> = {},
  ): BuildContext => {
    const usual = stage.context();
    const all = { ...NO_USER_SETTINGS.build, ...build };
    return {
      ...usual,
      environment: { ...usual.environment, ...environment },
      user: { ...NO_USER_SETTINGS, secretsProvider: 'memory', build: all },
      kinds: { ...usual.kinds, openSecretStore: async (name) => secrets.open(name) },
    };
  };
  const made: string[] = [];
  /** Builds, searches the metadata of the image for secrets, and requests the server's name. */
  const buildAndAsk = async (request: BuildRequest, inside: BuildContext): Promise<string> => {
    const output: string[] = [];
    const onProgress: BuildOptions['onProgress'] = (progress) => void output.push(JSON.stringify(progress));
    const built = await stage.provide(request, inside, { onProgress });
    expect(built).to.deep.include({ built: true, notes: [] });
    expect(output.join('\n')).to.satisfy(hidesAll);
    expect(await searchDescription(built.reference, SECRETS)).to.deep.equal([]);
    made.push(built.reference);
    const container = { name: stage.engine.name(), image: built.reference, labels: stage.engine.labels };
    return (await askInitialize(stage.engine.runtime, container)).serverInfo.name;
  };

  it('installs from a registry with the token of an npmrc file, and reads no secrets for an existing image', async () => {
    const request = stage.request(PRIVATE, 'node-plain');
    const refused = await caughtError(stage.provide(request, context({}, secretsOf(), REGISTRY)));
    expect(refused).to.deep.include({ code: 'ERR_PACKAGE_INDEX' });
    expect(refused.hint).to.include('portolan config set-build-auth-file');
    const secrets = secretsOf();
    expect(await buildAndAsk(request, context(FOR_NPM, secrets))).to.equal('notes');
    expect(secrets.looks, 'secrets that were looked for').to.be.greaterThan(0);
    const later = secretsOf();
    expect(await stage.provide(request, context(FOR_NPM, later))).to.deep.include({ built: false });
    expect(later.looks, 'secrets that were looked for').to.equal(0);
  });

  it('describes a build by the names of its credentials, without reading secrets', async () => {
    const secrets = secretsOf();
    // The cache is empty after this time.
    const clock = (): Date => new Date(Date.now() + 24 * 60 * 60 * 1000);
    const inside = { ...context(FOR_NPM, secrets), clock };
    const described = await describePackageBuild({ target: PRIVATE, args: [] }, inside);
    expect(described.notes.join('\n'))
      .to.include('the variables ACME_TOKEN (secret acme-token) and the files .npmrc')
      .and.include('is looked up when it is built');
    expect(described).to.deep.include({ tag: undefined, cached: false });
    expect(described.dockerfile).to.include('http://credentials.portolan.internal/');
    expect(JSON.stringify(described)).to.satisfy(hidesAll);
    expect(secrets.looks).to.equal(0);
  });

  it('passes shell variables, and reports those without a value', async () => {
    const build: Partial<Build> = { authFiles: ['npmrc'], fromShell: ['ACME_TOKEN'] };
    const request = stage.request(`${PRIVATE}@1.0.0`, 'node-plain', { entryArguments: ['shell'] });
    const unset = await caughtError(stage.provide(request, context(build, secretsOf())));
    expect(unset).to.deep.include({ code: 'ERR_SETTING' });
    expect(unset.message).to.include('ACME_TOKEN');
    const inside = context(build, secretsOf(), { ACME_TOKEN: TOKEN });
    expect(await buildAndAsk(request, inside)).to.equal('notes shell');
  });

  it('masks credentials in the output of an install script, and gives them to the build only once', async () => {
    const before = await stage.built();
    const output: string[] = [];
    const onProgress: BuildOptions['onProgress'] = (progress) => void output.push(JSON.stringify(progress));
    const request = stage.request('npx://@acme/telltale', 'node-plain');
    const error = await caughtError(stage.provide(request, context(FOR_NPM, secretsOf()), { onProgress }));
    expect(error.code).to.equal('ERR_PACKAGE_BUILD');
    expect(error.message).to.include('was given ***').and.include('was answered 403');
    expect(error.message).to.include('refused while it was built: credentials.portolan.internal:80');
    expect(JSON.stringify([error, output])).to.satisfy(hidesAll);
    expect(await stage.built()).to.deep.equal(before);
  });

  it('names the credentials in the hint when the registry rejects them', async () => {
    const before = await stage.built();
    const request = stage.request(`${PRIVATE}@1.0.0`, 'node-plain', { entryArguments: ['other'] });
    const inside = context(FOR_NPM, secretsOf({ 'acme-token': 'npm_Another0ne' }));
    const error = await caughtError(stage.provide(request, inside));
    expect(error.code).to.equal('ERR_PACKAGE_BUILD');
    expect(error.hint).to.include('rejects the build credentials');
    expect(JSON.stringify(error)).to.not.include('npm_Another0ne');
    expect(await stage.built()).to.deep.equal(before);
  });

  it('keeps a token in the address of a registry out of the image and of messages', async () => {
    const change = { entryArguments: ['place'] };
    const npmrc = NPMRC.replace(`https://${NPM_HOST}/`, `https://${NPM_HOST}/${PLACE}/`);
    const secrets = secretsOf({ BUILD_AUTH_FILE_npmrc: npmrc });
    const pinned = stage.request(`${PRIVATE}@1.0.0`, 'node-plain', change);
    expect(await buildAndAsk(pinned, context(FOR_NPM, secrets))).to.equal('notes place');
    const refused = secretsOf({ BUILD_AUTH_FILE_npmrc: npmrc, 'acme-token': 'npm_Another0ne' });
    // The cache is empty after this time.
    const clock = (): Date => new Date(Date.now() + 24 * 60 * 60 * 1000);
    const newest = stage.request('npx://@acme/private@^1.0.0', 'node-plain', { entryArguments: ['newest'] });
    const error = await caughtError(stage.provide(newest, { ...context(FOR_NPM, refused), clock }));
    expect(error.message).to.include(`https://${NPM_HOST}/***/`).and.include('status 401');
    expect(inspect(error)).to.satisfy(hidesAll);
  });

  it('removes everything of an aborted build', async () => {
    const before = await stage.built();
    const stop = new AbortController();
    const request = stage.request('npx://@acme/hanging@1.0.0', 'node-plain');
    const inside = context(FOR_NPM, secretsOf());
    const building = caughtError(stage.provide(request, inside, { signal: stop.signal }));
    const tarball = `${NPM_HOST}/@acme/hanging/-/1.0.0.tgz`;
    await eventually(() => expect(stage.indexes.asked).to.include(tarball), { withinMs: 30_000 });
    stop.abort(new Error('enough'));
    expect((await building).message).to.equal('enough');
    expect(await stage.built()).to.deep.equal(before);
  });

  it('refuses the build on an engine that cannot isolate its network', async () => {
    const before = await stage.built();
    const { runtime } = stage.engine;
    const refused: Partial<ContainerEngine> = {
      describe: async () => ({ ...(await runtime.describe()), buildsInClosedNetwork: false }),
      buildImage: () => Promise.reject(new Error('something was built')),
    };
    const cannot = new Proxy(runtime, {
      get(target, name) {
        const value: unknown = Reflect.get(Object.hasOwn(refused, name) ? refused : target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const inside = context(FOR_NPM, secretsOf());
    const kinds = { ...inside.kinds, openRuntime: async () => runtimeOfEngine(cannot) };
    const request = stage.request(`${PRIVATE}@1.0.0`, 'node-plain', { entryArguments: ['open'] });
    const error = await caughtError(stage.provide(request, { ...inside, kinds }));
    expect(error).to.deep.include({ code: 'ERR_PACKAGE_BUILD' });
    expect(await stage.built()).to.deep.equal(before);
  });

  const INDEX = { UV_INDEX_URL: `https://${PYTHON_HOST}/simple` };
  const LOGIN = `https://builder:${encodeURIComponent(PASSWORD)}@${PYTHON_HOST}/simple`;
  const netrcOf = (host: string): MemorySecrets =>
    secretsOf({ BUILD_AUTH_FILE_netrc: `machine ${host}\nlogin builder\npassword ${PASSWORD}\n` });
  const python: readonly {
    readonly title: string;
    readonly build: Partial<Build>;
    readonly secrets: MemorySecrets;
    readonly shell?: Readonly<Record<string, string>>;
  }[] = [
    { title: 'a netrc file', build: { authFiles: ['netrc'] }, secrets: netrcOf(PYTHON_HOST), shell: INDEX },
    {
      title: 'credentials in UV_INDEX_URL',
      build: { fromSecrets: { UV_INDEX_URL: 'index' } },
      secrets: secretsOf({ index: LOGIN }),
    },
  ];
  for (const [at, { title, build, secrets, shell }] of python.entries()) {
    it(`installs a Python package from an index that needs ${title}`, async () => {
      const change = { entryArguments: [`${at}`] };
      const request = stage.request('uvx://py-private', 'python-plain', change);
      expect(await buildAndAsk(request, context(build, secrets, shell))).to.equal(`pynotes ${at}`);
    });
  }

  it('installs a Go module from a proxy that needs a netrc file', async () => {
    const build: Partial<Build> = {
      authFiles: ['netrc', 'npmrc'],
      values: { GOPROXY: `https://${GO_HOST}`, GOSUMDB: 'off' },
    };
    const request = stage.request(`go://${MODULE}/cmd/server`, 'go-plain');
    expect(await buildAndAsk(request, context(build, netrcOf(GO_HOST)))).to.equal('gonotes');
  });

  it('leaves no credential in any file of any layer of the images that these tests build', async () => {
    expect(made).to.have.lengthOf(6);
    expect(await searchLayers(made, SECRETS)).to.deep.equal([]);
    expect(await searchLayers(made, ['no-such-text-of-ours', 'module.exports'])).to.deep.equal([
      'module.exports',
    ]);
  });
});

const REGISTRY = { 'npm_config_@acme:registry': `https://${NPM_HOST}/` };

function hidesAll(text: string): boolean {
  return !SECRETS.some((secret) => text.includes(secret));
}

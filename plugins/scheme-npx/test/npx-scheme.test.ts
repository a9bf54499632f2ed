import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type {
  BuildInput,
  BuildPlan,
  IndexedPackage,
  PluginContext,
  SchemeOptions,
} from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { npxScheme } from '../src/index.ts';
import { planNpmImage } from '../src/plan-npm-image.ts';
import { readNpmRegistries, registryOf } from '../src/npm-registries.ts';
import { listRegistryFlags } from '../src/npx-kind.ts';
import { newestInRange } from '../src/npx-kind.ts';

const VERSIONS = ['1.0.0', '1.2.3', '1.10.0', '2.0.0-beta.2', '2.0.0-beta.10', '0.2.1', '0.3.0'];

/** What of their package.json says how they are started. */
const PROGRAMS: Readonly<Record<string, object>> = {
  '1.0.0': { bin: './server.js' },
  '1.2.3': {
    bin: { notes: './server.js', 'notes-admin': './admin.js' },
    dist: { integrity: 'sha512-notes' },
  },
  '1.10.0': { bin: { other: './server.js' } },
  '0.2.1': { bin: { one: './one.js', two: './two.js' } },
  '0.3.0': { directories: { bin: './bin' } },
};

/** Answers for one package, whichever registry is asked. */
const openFetch: PluginContext['openFetch'] = async () => ({
  fetch: async (input, init) => {
    init?.signal?.throwIfAborted();
    const url = new URL(input instanceof Request ? input.url : input).href;
    if (url.endsWith('/silent')) return new Response('', { status: 503 });
    if (!url.endsWith('/@acme%2Fnotes')) return new Response('', { status: 404 });
    const versions = Object.fromEntries(VERSIONS.map((one) => [one, PROGRAMS[one] ?? {}]));
    return Response.json({ 'dist-tags': { latest: '1.10.0', next: '2.0.0-beta.10' }, versions });
  },
  close: async () => undefined,
});

const NOTES = '@acme/notes';

function reference(name: string, version: string | undefined, pinned = false): IndexedPackage {
  return { from: 'index', name, extras: [], version, pinned };
}

function options(environment: SchemeOptions['environment'] = {}, home = '/home/nobody'): SchemeOptions {
  return { environment, home, workingDirectory: home };
}

describe('resolveVersion of npx://', () => {
  const found: readonly { readonly reference: IndexedPackage; readonly version: string }[] = [
    { reference: reference(NOTES, undefined), version: '1.10.0' },
    { reference: reference(NOTES, 'next'), version: '2.0.0-beta.10' },
    { reference: reference(NOTES, '^1.2'), version: '1.10.0' },
    { reference: reference(NOTES, '1.2.3', true), version: '1.2.3' },
  ];
  const missing: readonly IndexedPackage[] = [
    reference('@acme/other', undefined),
    reference(NOTES, 'canary'),
    reference(NOTES, '^7'),
  ];
  const resolve = async (wanted: IndexedPackage): Promise<string> => {
    const scheme = await npxScheme.create({}, createTestContext({ openFetch }));
    return await scheme.resolveVersion(wanted, options({}));
  };
  for (const { reference: wanted, version } of found) {
    it(`finds ${version} for ${wanted.name} ${wanted.version ?? ''}`, async () => {
      expect(await resolve(wanted)).to.equal(version);
    });
  }
  for (const wanted of missing) {
    it(`finds nothing for ${wanted.name} ${wanted.version ?? ''}`, async () => {
      expect(await resolve(wanted).catch((error: unknown) => error)).to.include({
        code: 'ERR_PACKAGE_NOT_FOUND',
      });
    });
  }
});

describe('findIntegrity of npx://', () => {
  const find = async (version: string): Promise<unknown> => {
    const scheme = await npxScheme.create({}, createTestContext({ openFetch }));
    const wanted = reference(NOTES, version, true);
    return await scheme.findIntegrity?.(wanted, options({})).catch((error: unknown) => error);
  };

  it('findIntegrity › returns the hash of the registry when the version has one', async () => {
    expect(await find('1.2.3')).to.equal('sha512-notes');
    expect(await find('1.0.0')).to.equal(undefined);
  });

  it('findIntegrity › rejects with ERR_PACKAGE_NOT_FOUND when there is no such version', async () => {
    expect(await find('99.0.0')).to.include({ code: 'ERR_PACKAGE_NOT_FOUND' });
  });
});

describe('checkPackage of npx://', () => {
  const check = async (wanted: IndexedPackage): Promise<unknown> => {
    const scheme = await npxScheme.create({}, createTestContext({ openFetch }));
    return await scheme.checkPackage?.(wanted, options({})).then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  for (const [version, why] of [
    ['1.0.0', 'one program'],
    ['1.2.3', 'a program of its name'],
    ['1.10.0', 'one program of another name'],
    ['latest', 'a tag'],
    ['0.3.0', 'a folder of programs, which the registry does not tell'],
  ] as const) {
    it(`accepts ${why}`, async () => {
      expect(await check(reference(NOTES, version))).to.equal(undefined);
    });
  }

  it('refuses a package without a program, and one with several programs of other names', async () => {
    expect(await check(reference(NOTES, '2.0.0-beta.2'))).to.include({
      code: 'ERR_PACKAGE_PROGRAM',
      message: '@acme/notes@2.0.0-beta.2 has no program that could be run.',
    });
    expect(await check(reference(NOTES, '0.2.1'))).to.include({
      code: 'ERR_PACKAGE_PROGRAM',
      message: '@acme/notes@0.2.1 has several programs, and none is called notes: one, two.',
    });
  });

  it('refuses a missing version and a missing package', async () => {
    const notThere = { code: 'ERR_PACKAGE_NOT_FOUND' };
    expect(await check(reference(NOTES, '99.0.0', true))).to.include(notThere);
    expect(await check(reference('@acme/other', '1.0.0', true))).to.include(notThere);
  });

  it('leaves the check to the build when the registry is unreachable', async () => {
    expect(await check(reference('silent', '1.0.0', true))).to.equal(undefined);
  });
});

describe('newestInRange', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['1', '1.10.0'],
    ['1.2', '1.2.3'],
    ['1.x', '1.10.0'],
    ['*', '1.10.0'],
    ['~1.2.0', '1.2.3'],
    ['^1.2.4', '1.10.0'],
    ['^0.2.0', '0.2.1'],
    ['^0.2', '0.2.1'],
    ['^2.0.0-beta.1', '2.0.0-beta.10'],
    ['2', undefined],
    ['>=1 <2', '1.10.0'],
    ['>=1.0.0 <1.3', '1.2.3'],
    ['>1.2.3', '1.10.0'],
    ['<=0.2', '0.2.1'],
    ['=1.2.3', '1.2.3'],
    ['7 || ~0.2', '0.2.1'],
    ['0.2 || 0.3', '0.3.0'],
    ['0.2 - 1.2', '1.2.3'],
    ['0.2 - 1.2.2', '1.0.0'],
    ['2.0.0-beta.2 - 2', '2.0.0-beta.10'],
    ['', '1.10.0'],
    ['v1.2.3', '1.2.3'],
    ['latest', undefined],
    ['>=', undefined],
    ['1 <', undefined],
  ];
  for (const [range, expected] of cases) {
    it(`finds ${expected ?? 'nothing'} in ${range}`, async () => {
      expect(await newestInRange(range, VERSIONS)).to.equal(expected);
    });
  }
});

describe('readNpmRegistries', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'portolan-npx-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true });
  });

  it('uses the public registry by default', async () => {
    const registries = await readNpmRegistries(options({}, home));
    expect(registryOf(registries, NOTES).href).to.equal('https://registry.npmjs.org/');
  });

  it('reads scopes and variables from .npmrc, and omits credentials', async () => {
    const lines = [
      '; a remark',
      'registry = "https://me:secret@npm.acme.example/all/"',
      '@acme:registry=https://${SCOPE_HOST}/scope/',
      '//npm.acme.example/all/:_authToken=secret',
    ];
    await writeFile(path.join(home, '.npmrc'), lines.join('\n'));
    const registries = await readNpmRegistries(options({ SCOPE_HOST: 'scope.acme.example' }, home));
    expect(registryOf(registries, 'left').href).to.equal('https://npm.acme.example/all/');
    expect(registryOf(registries, NOTES).href).to.equal('https://scope.acme.example/scope/');
    const input = {
      reference: reference(NOTES, '1.2.3', true),
      baseImage: undefined,
      addedPackages: [],
      buildWith: [],
      environment: {},
      caCertificates: undefined,
    };
    const given = options({ SCOPE_HOST: 'scope.acme.example' }, home);
    const { dockerfile } = await planNpmImage(input, await listRegistryFlags(undefined, given), given);
    expect(dockerfile).to.contain('"--registry=https://npm.acme.example/all/"');
    expect(dockerfile).to.contain('"--@acme:registry=https://scope.acme.example/scope/"');
    expect(dockerfile).not.to.contain('secret');
  });

  it('prefers variables, in any case, and a configured npmrc file', async () => {
    await writeFile(path.join(home, 'other'), 'registry=https://other.acme.example/\n');
    const named = await readNpmRegistries(options({ NPM_CONFIG_USERCONFIG: path.join(home, 'other') }, home));
    expect(named.usual.host).to.equal('other.acme.example');
    const given = { NPM_CONFIG_REGISTRY: 'http://npm.acme.example:4873' };
    const scheme = await npxScheme.create({}, { openFetch } as PluginContext); // it uses nothing else of it
    const input = { reference: reference(NOTES, '1.2.3', true) } as Parameters<typeof scheme.reachesHosts>[0];
    expect(await scheme.reachesHosts(input, options(given, home))).to.deep.equal([
      { host: 'npm.acme.example', port: 4873 },
    ]);
  });

  it('refuses an invalid address', async () => {
    const failed = await readNpmRegistries(options({ npm_config_registry: 'ftp://x' }, home)).catch(
      (error: unknown) => error,
    );
    expect(failed).to.include({ code: 'ERR_SETTING' });
  });
});

describe('build of npx://', () => {
  const build = async (version: string, prepared: BuildInput['prepared']): Promise<readonly unknown[]> => {
    const input: BuildInput = {
      reference: reference(NOTES, version),
      baseImage: undefined,
      addedPackages: [],
      buildWith: [],
      environment: {},
      caCertificates: undefined,
      ...(prepared === undefined ? {} : { prepared }),
    };
    return wordsOf((await planNpmImage(input, [], options())).dockerfile);
  };
  const readByShells = ['>=1 <2', '1 || 2', '$(id)', '`id`', '"; id; "', "'", '1\nRUN id', '\\', '<<EOF'];

  it('passes the version to npm as one word, without interpretation by a shell or the Dockerfile', async () => {
    const version = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...readByShells));
    const prepared = fc.constantFrom(undefined, { variables: [], authFiles: [] });
    await fc.assert(
      fc.asyncProperty(version, prepared, async (wanted, given) => {
        const usual = JSON.stringify(await build('1.2.3', given));
        const found = await build(wanted, given);
        expect(JSON.stringify(found)).to.include(JSON.stringify(`${NOTES}@${wanted}`));
        expect(JSON.stringify(found)).to.equal(
          usual.replace(JSON.stringify(`${NOTES}@1.2.3`), () => JSON.stringify(`${NOTES}@${wanted}`)),
        );
      }),
    );
  });
});

describe('build of a folder by npx://', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  async function plan(manifest: string | undefined, program?: string): Promise<BuildPlan> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-npx-'));
    folders.push(folder);
    if (manifest !== undefined) await writeFile(path.join(folder, 'package.json'), manifest);
    const input: BuildInput = {
      reference: { from: 'folder', path: '.', ...(program === undefined ? {} : { program }) },
      baseImage: undefined,
      addedPackages: [],
      buildWith: [],
      environment: {},
      caCertificates: undefined,
    };
    return await planNpmImage(input, [], options({}, folder));
  }

  it('copies the folder without installed packages and npm settings, and builds it under its name', async () => {
    const { folder, dockerfile } = await plan('{"name":"@acme/notes"}', 'admin');
    expect(folder).to.deep.equal({
      path: 'source',
      source: folders[0],
      leavesOut: ['**/node_modules', '**/.npmrc'],
    });
    expect(dockerfile).to.include('COPY source/ /build/source/').and.to.include('npm run build --if-present');
    expect(dockerfile).to.include('"@acme/notes", "admin"]');
  });

  for (const name of [undefined, '../../etc', 'a b', '$(id)', 7]) {
    it(`uses the name "server" for a package whose name is ${JSON.stringify(name)}`, async () => {
      const { dockerfile } = await plan(JSON.stringify({ name }));
      expect(dockerfile).to.include('"portolan", "server"]');
    });
  }

  for (const [title, manifest] of [
    ['has no package.json', undefined],
    ['is not JSON', '{'],
  ] as const) {
    it(`refuses a folder that ${title}`, async () => {
      const error: unknown = await plan(manifest).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'ERR_PACKAGE_FOLDER' });
      expect(error).to.have.property('message').that.includes(folders[0]).and.includes(title.slice(3));
    });
  }
});

/** The lines of a Dockerfile; those in exec form as the words that they hold. */
function wordsOf(dockerfile: string): readonly unknown[] {
  return dockerfile.split('\n').map((line) => {
    const list = /^(?:RUN|ENTRYPOINT) (\[.*\])$/.exec(line)?.[1];
    return list === undefined ? line : JSON.parse(list);
  });
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BuildInput, IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { listGoHosts } from '../src/go-kind.ts';
import { readGoSettings } from '../src/go-settings.ts';
import { newestGoVersion } from '../src/resolve-go-version.ts';
import { goScheme } from '../src/index.ts';
import { findModuleFolder } from '../src/plan-go-image.ts';

const MODULE = 'example.org/Acme/notes';
const ANSWERS: Readonly<Record<string, string>> = {
  'example.org/!acme/notes/@v/list': 'v1.2.0\nv1.10.0\nv1.11.0-rc.1\n',
  'example.org/!acme/notes/@v/main.info': '{"Version":"v1.12.0-0.20260101000000-abcdefabcdef"}',
  'example.org/untagged/@v/list': '',
  'example.org/untagged/@latest': '{"Version":"v0.0.0-20260101000000-abcdefabcdef"}',
};

const openFetch: PluginContext['openFetch'] = async () => ({
  fetch: async (input, init) => {
    init?.signal?.throwIfAborted();
    const { hostname, pathname } = new URL(input instanceof Request ? input.url : input);
    if (hostname === 'broken.acme.example') return new Response('', { status: 500 });
    const refused = /\/refused-(\d+)/.exec(pathname)?.[1];
    if (refused !== undefined)
      return new Response('not found: unrecognized import path', { status: Number(refused) });
    const answer = ANSWERS[decodeURIComponent(pathname).replace(/^\/(?:proxy\/)?/, '')];
    return answer === undefined ? new Response('', { status: 404 }) : new Response(answer);
  },
  close: async () => undefined,
});

function reference(name: string, version: string | undefined, pinned = false): IndexedPackage {
  return { from: 'index', name, extras: [], version, pinned };
}

function options(environment: SchemeOptions['environment'] = {}, home = '/home/nobody'): SchemeOptions {
  return { environment, home, workingDirectory: home };
}

function inputOf(name: string): BuildInput {
  return {
    reference: reference(name, 'v1.2.0', true),
    baseImage: undefined,
    addedPackages: [],
    buildWith: [],
    environment: {},
    caCertificates: undefined,
  };
}

describe('resolveVersion of go://', () => {
  const found: readonly { readonly reference: IndexedPackage; readonly version: string }[] = [
    { reference: reference(`${MODULE}/cmd/server`, undefined), version: 'v1.10.0' },
    { reference: reference(MODULE, 'v1.2'), version: 'v1.2.0' },
    { reference: reference(MODULE, 'main'), version: 'v1.12.0-0.20260101000000-abcdefabcdef' },
    {
      reference: reference('example.org/untagged', 'latest'),
      version: 'v0.0.0-20260101000000-abcdefabcdef',
    },
  ];
  const missing: readonly IndexedPackage[] = [
    reference('example.org/nothing', undefined),
    reference(MODULE, 'v7'),
    reference('example.org/refused-400', undefined),
    reference('example.org/refused-404', undefined),
    reference('example.org/refused-410/cmd/server', 'main'),
  ];
  const resolve = async (wanted: IndexedPackage): Promise<string> => {
    const scheme = await goScheme.create({}, createTestContext({ openFetch }));
    return await scheme.resolveVersion(
      wanted,
      options({ GOPROXY: 'https://broken.acme.example|https://go.acme.example/proxy' }),
    );
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

describe('newestGoVersion', () => {
  it('prefers releases, and orders by Semantic Versioning', () => {
    expect(newestGoVersion(['v1.9.0', 'v1.10.0', 'v2.0.0-rc.1'])).to.equal('v1.10.0');
    expect(newestGoVersion(['v1.0.0-rc.2', 'v1.0.0-rc.10', 'v1.0.0-alpha'])).to.equal('v1.0.0-rc.10');
    expect(newestGoVersion(['main'])).to.equal(undefined);
  });
});

describe('listGoHosts', () => {
  const cases: readonly {
    readonly title: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly expected: readonly string[];
  }[] = [
    {
      title: 'of Go’s own team where nothing else is said',
      environment: {},
      expected: ['proxy.golang.org:443', 'storage.googleapis.com:443', 'sum.golang.org:443'],
    },
    {
      title: 'of the proxies alone without checksums',
      environment: {
        GOPROXY: 'http://one.acme.example:3000,https://two.acme.example|direct',
        GOSUMDB: 'off',
      },
      expected: ['one.acme.example:3000', 'two.acme.example:443'],
    },
    {
      title: 'of the module itself where it is private',
      environment: { GOPROXY: 'https://one.acme.example', GOSUMDB: 'off', GOPRIVATE: '*.org/Acme' },
      expected: ['one.acme.example:443', 'example.org:443'],
    },
    {
      title: 'of a checksum database with a key and an address',
      environment: { GOPROXY: 'off', GOSUMDB: 'sum.acme.example+0a1b+key https://sums.acme.example/db' },
      expected: ['sums.acme.example:443'],
    },
  ];
  for (const { title, environment, expected } of cases) {
    it(`returns the hosts ${title}`, async () => {
      const hosts = listGoHosts(inputOf(MODULE), await readGoSettings(options(environment)));
      expect(hosts.map(({ host, port }) => `${host}:${port}`)).to.deep.equal(expected);
    });
  }
});

describe('readGoSettings', () => {
  it('reads variables first, then what `go env -w` has written, and omits credentials', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'portolan-go-'));
    try {
      await mkdir(path.join(home, '.config', 'go'), { recursive: true });
      const text = 'GOPROXY=https://me:secret@go.acme.example/x,direct\nGOSUMDB=off\n';
      await writeFile(path.join(home, '.config', 'go', 'env'), text);
      const { variables, checksums } = await readGoSettings(options({ GOSUMDB: 'sum.acme.example' }, home));
      expect(variables).to.deep.equal({
        GOPROXY: 'https://go.acme.example/x,direct',
        GOSUMDB: 'sum.acme.example',
      });
      expect(checksums?.host).to.equal('sum.acme.example');
    } finally {
      await rm(home, { recursive: true });
    }
  });
});

describe('findModuleFolder', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-go-'));
    await mkdir(path.join(root, 'module', 'cmd', 'server'), { recursive: true });
    await mkdir(path.join(root, 'plain'));
    await writeFile(path.join(root, 'module', 'go.mod'), 'module example.org/x\n');
  });
  after(async () => {
    await rm(root, { recursive: true });
  });

  it('finds the module in a parent of the folder', async () => {
    const module = path.join(root, 'module');
    expect(await findModuleFolder('./cmd/server', module)).to.deep.equal({
      root: module,
      inside: './cmd/server',
    });
    expect(await findModuleFolder('..', path.join(module, 'cmd'))).to.deep.equal({
      root: module,
      inside: '.',
    });
  });

  it('throws ERR_PACKAGE_FOLDER for a missing folder and for one without a module', async () => {
    const code = async (named: string): Promise<unknown> =>
      await findModuleFolder(named, root).catch((error: unknown) => error);
    expect(await code('./nothing')).to.include({ code: 'ERR_PACKAGE_FOLDER' });
    expect(await code('./plain')).to.include({ code: 'ERR_PACKAGE_FOLDER' });
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
import { uvxScheme } from '../src/index.ts';
import { hostsOf } from '../src/uvx-kind.ts';
import { planPythonImage } from '../src/plan-python-image.ts';
import { readPythonIndexes } from '../src/python-indexes.ts';
import { newestVersion } from '../src/resolve-python-version.ts';

const PAGE = `<!DOCTYPE html><body>
<a href="/f/py-notes-1.9.tar.gz">py-notes-1.9.tar.gz</a>
<a href="/f/py_notes-1.10-py3-none-any.whl" data-requires-python="&gt;=3.9">py_notes-1.10-py3-none-any.whl</a>
<a href="/f/py_notes-1.11-py3-none-any.whl" data-yanked="">py_notes-1.11-py3-none-any.whl</a>
</body>`;
/** What ends in no link is no more than an attribute of one. */
const LONG_PAGE = `<a href="/f/"><b></b></a><a href="/f/long_page-1.0.tar.gz">long_page-1.0.tar.gz</a>${'<a '.repeat(1_000_000)}`;
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';
const FILES = [
  { filename: 'time_server-2026.1.2-py3-none-any.whl', yanked: false },
  { filename: 'time_server-2026.2.0-py3-none-any.whl', yanked: 'broken' },
];

const openFetch: PluginContext['openFetch'] = async () => ({
  fetch: async (input, init) => {
    init?.signal?.throwIfAborted();
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname.endsWith('/py-notes/'))
      return new Response(PAGE, { headers: { 'content-type': 'text/html' } });
    if (pathname.endsWith('/long-page/'))
      return new Response(`${'<a '.repeat(1_000_000)}><b></b>${LONG_PAGE}`, {
        headers: { 'content-type': 'text/html' },
      });
    if (!pathname.endsWith('/time-server/')) return new Response('', { status: 404 });
    return new Response(JSON.stringify({ files: FILES }), { headers: { 'content-type': JSON_TYPE } });
  },
  close: async () => undefined,
});

function reference(name: string, version: string | undefined, pinned = false): IndexedPackage {
  return { from: 'index', name, extras: [], version, pinned };
}

function options(environment: SchemeOptions['environment'] = {}, home = '/home/nobody'): SchemeOptions {
  return { environment, home, workingDirectory: home };
}

describe('resolveVersion of uvx://', () => {
  const found: readonly { readonly reference: IndexedPackage; readonly version: string }[] = [
    { reference: reference('Py_Notes', undefined), version: '1.10' },
    { reference: reference('time.server', 'latest'), version: '2026.1.2' },
    { reference: reference('py-notes', '1.0', true), version: '1.0' },
    { reference: reference('long-page', undefined), version: '1.0' },
  ];
  const missing: readonly IndexedPackage[] = [reference('nothing-here', undefined)];
  const resolve = async (wanted: IndexedPackage): Promise<string> => {
    const scheme = await uvxScheme.create({}, createTestContext({ openFetch }));
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

describe('newestVersion', () => {
  const cases: readonly (readonly [readonly string[], string | undefined])[] = [
    [['1.9', '1.10', '1.2'], '1.10'],
    [['1.0', '1.0.post1', '1.1rc1', '1.1.dev3'], '1.0.post1'],
    [['1.0a1', '1.0.dev9', '1.0b2', '1.0rc1'], '1.0rc1'],
    [['1.0a2.dev1', '1.0a1', '1.0a2'], '1.0a2'],
    [['2026.1', '1!1.0'], '1!1.0'],
    [['1.0', '1.0.0.1'], '1.0.0.1'],
    [['1.0+local.10', '1.0+local.9', '1.0'], '1.0+local.10'],
    [['1.0.post2', '1.0-3', '1.0.rev1'], '1.0-3'],
    [['v1.1', '1.0', 'what'], 'v1.1'],
    [['1.0c2', '1.0rc1', '1.0.pre3'], '1.0.pre3'],
    [['what'], undefined],
  ];
  for (const [versions, expected] of cases) {
    it(`returns ${expected ?? 'none'} of ${versions.join(', ')}`, async () => {
      expect(await newestVersion(versions)).to.equal(expected);
      expect(await newestVersion(versions.toReversed())).to.equal(expected);
    });
  }
});

describe('readPythonIndexes', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'portolan-uvx-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true });
  });

  it('uses the public index with its download host by default', async () => {
    expect(hostsOf(await readPythonIndexes(options({}, home)))).to.deep.equal([
      { host: 'pypi.org', port: 443 },
      { host: 'files.pythonhosted.org', port: 443 },
    ]);
  });

  it('reads the section `global` of pip.conf, with multi-line values and without credentials', async () => {
    const text = `# remark
[install]
index-url = https://wrong.acme.example/
[global]
index-url = https://me:secret@python.acme.example/simple
extra-index-url =
    https://one.acme.example/
    https://two.acme.example/
`;
    await mkdir(path.join(home, '.config', 'pip'), { recursive: true });
    await writeFile(path.join(home, '.config', 'pip', 'pip.conf'), text);
    const { usual, more } = await readPythonIndexes(options({}, home));
    expect(usual.href).to.equal('https://python.acme.example/simple');
    expect(more.map(({ host }) => host)).to.deep.equal(['one.acme.example', 'two.acme.example']);
  });

  it('prefers variables of uv to those of pip', async () => {
    const environment = {
      PIP_INDEX_URL: 'https://pip.acme.example/simple',
      UV_INDEX_URL: 'https://uv.acme.example/simple',
      UV_INDEX: 'acme=https://more.acme.example/simple',
    };
    const { usual, more } = await readPythonIndexes(options(environment, home));
    expect([usual, ...more].map(({ host }) => host)).to.deep.equal(['uv.acme.example', 'more.acme.example']);
  });

  it('lists the configured indexes, the default one first', async () => {
    const environment = {
      UV_DEFAULT_INDEX: 'https://a.acme.example/simple',
      UV_INDEX: 'https://b.acme.example/simple',
    };
    const scheme = await uvxScheme.create({}, createTestContext());
    expect(await scheme.listIndexes?.(options(environment, home))).to.deep.equal([
      'https://a.acme.example/simple',
      'https://b.acme.example/simple',
    ]);
  });

  it('refuses an invalid address', async () => {
    const failed = await readPythonIndexes(options({ PIP_INDEX_URL: '/srv/wheels' }, home)).catch(
      (error: unknown) => error,
    );
    expect(failed).to.include({ code: 'ERR_SETTING' });
    expect(failed).to.have.property('message').that.includes('PIP_INDEX_URL');
  });
});

describe('build of a folder by uvx://', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  async function plan(project: string | undefined): Promise<BuildPlan> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-uvx-'));
    folders.push(folder);
    if (project !== undefined) await writeFile(path.join(folder, 'pyproject.toml'), project);
    const input: BuildInput = {
      reference: { from: 'folder', path: './', program: 'serve' },
      baseImage: undefined,
      addedPackages: [],
      buildWith: [],
      environment: {},
      caCertificates: undefined,
    };
    const given = options({}, folder);
    return await planPythonImage(input, await readPythonIndexes(given), given);
  }

  for (const [project, name] of [
    ['[project]\nname = "Py_Notes"\n', 'py-notes'],
    [
      "[build-system]\nrequires = []\n\n[project]\nversion = '1'\nkeywords = [\n  'a',\n]\nname = 'notes'\r\n",
      'notes',
    ],
    ['[project.scripts]\nname = "other:main"\n\n[project]\nname = "notes"\n', 'notes'],
    ['[tool.poetry]\nname = "notes"\n', 'notes'],
  ] as const) {
    it(`installs the folder as ${name} for ${JSON.stringify(project).slice(0, 40)}`, async () => {
      const { folder, dockerfile } = await plan(project);
      expect(folder).to.deep.include({ path: 'source', source: `${folders[0]}` });
      expect(dockerfile).to.include('COPY source/ /build/source/');
      expect(dockerfile).to.include(`"portolan", "${name}", "/build/source"]`);
      expect(dockerfile).to.include(`"${name}", "serve"]`);
    });
  }

  for (const project of [
    undefined,
    '',
    '[project]\nversion = "1"\n\n[other]\nname = "x"\n',
    '[project]\nname = "a b"\n',
  ]) {
    it(`refuses a folder whose pyproject.toml is ${JSON.stringify(project)}`, async () => {
      expect(await plan(project).catch((thrown: unknown) => thrown)).to.include({
        code: 'ERR_PACKAGE_FOLDER',
      });
    });
  }
});

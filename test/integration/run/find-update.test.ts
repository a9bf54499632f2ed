import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFetch } from '@portolan/outbound';
import {
  type ImageDescription,
  isPortolanError,
  type PackageReference,
  type Scheme,
} from '@portolan/plugin-api';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { OciRegistry } from '../../../packages/image-verification/test/oci-registry.ts';
import { findUpdate } from '../../../packages/workload/src/run/operations/update/find-update.ts';
import { isOlderVersion } from '../../../packages/workload/src/run/operations/update/find-update.ts';
import { ownProcess } from '../../../packages/workload/src/state/process-identity.ts';
import type { WorkloadContext } from '../../../packages/workload/src/workload-context.ts';
import { testWorkloadContext } from '../../../packages/workload/test/support/test-workload-context.ts';

const { signal } = new AbortController();
/** An image that was built from version 1.1.0. */
const BUILT: ImageDescription = {
  id: `sha256:${'0'.repeat(64)}`,
  references: [],
  digests: [],
  os: 'linux',
  architecture: 'amd64',
  labels: { 'portolan.dev/package-version': '1.1.0' },
  entrypoint: [],
  command: [],
  environment: {},
  user: '',
  workingDirectory: '',
  exposedPorts: [],
  onBuild: [],
  sizeBytes: 0,
  createdAt: new Date(0),
};
const INDEX = 'application/vnd.oci.image.index.v1+json';

describe('findUpdate', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-update-'));
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  /** Returns a context with one workload, and an index with this newest version of every package. */
  async function contextWith(
    config: Partial<RunConfig>,
    { newest, digest = '' }: { readonly newest?: string; readonly digest?: string } = {},
  ): Promise<{ readonly context: WorkloadContext; readonly asked: PackageReference[] }> {
    const usual = testWorkloadContext(folder, { inspectImage: async () => BUILT });
    const asked: PackageReference[] = [];
    const scheme: Partial<Scheme> = {
      resolveVersion: async (reference) => {
        asked.push(reference);
        if (newest === undefined) throw new Error('no index');
        return newest;
      },
    };
    const context: WorkloadContext = {
      ...usual,
      openFetch,
      // SAFETY: the code uses no other method of a scheme.
      kinds: { ...usual.kinds, openScheme: async () => scheme as Scheme },
    };
    const whole = createRunConfig({ name: 'notes', transport: 'stdio', host: '127.0.0.1', ...config });
    await context.store.claim(whole, await ownProcess());
    if (digest !== '') await context.store.change('notes', (state) => ({ ...state, imageDigest: digest }));
    return { context, asked };
  }

  const packages: readonly (readonly [runs: string, newest: string, available: boolean])[] = [
    ['1.0.0', '1.1.0', true],
    ['1.1.0', '1.1.0', false],
    ['2.0.0-beta.1', '1.9.0', false],
    ['1.9.0', '1.10.0', true],
    ['1.0.0-rc.1', '1.0.0', true],
  ];
  for (const [runs, newest, available] of packages) {
    it(`${available ? 'updates' : 'keeps'} a package ${runs} when the index has ${newest}`, async () => {
      const config = { run_target: `npx://@acme/notes@${runs}`, image: 'portolanlocal/npx-acme-notes:1' };
      const { context, asked } = await contextWith(config, { newest });
      const found = await findUpdate('notes', context, signal);
      expect(found).to.include({ of: 'package', available, current: `npx://@acme/notes@${runs}` });
      expect(asked).to.deep.include({
        from: 'index',
        name: '@acme/notes',
        extras: [],
        version: undefined,
        pinned: false,
      });
      if (!available) expect(found.next).to.equal(undefined);
      else
        expect(found.next?.config).to.deep.include({
          run_target: `npx://@acme/notes@${newest}`,
          image: '',
          name: 'notes',
        });
    });
  }

  const entries: readonly (readonly [runs: string, pinned: string, newest: string, available: boolean])[] = [
    ['npx://@acme/notes@1.0.0', '1.2.0', '9.0.0', true],
    ['npx://@acme/notes@1.2.0', '1.2.0', '9.0.0', false],
    ['example.acme/notes', '1.2.0', '9.0.0', true],
  ];
  for (const [runs, pinned, newest, available] of entries) {
    it(`${available ? 'updates' : 'keeps'} ${runs} when its registry entry names ${pinned}`, async () => {
      const entry = {
        name: 'example.acme/notes',
        description: 'Notes.',
        version: pinned,
        packages: [
          { registryType: 'npm', identifier: '@acme/notes', version: pinned, transport: { type: 'stdio' } },
        ],
      };
      const file = path.join(folder, 'catalogue.json');
      await writeFile(file, JSON.stringify({ version: '1.0.0', data: { servers: [entry] } }));
      const { context } = await contextWith(
        { run_target: runs, image: 'portolanlocal/npx:1', registry_server_name: 'example.acme/notes' },
        { newest },
      );
      const user = { ...context.user, localRegistryPath: file };
      const found = await findUpdate('notes', { ...context, user }, signal);
      expect(found, JSON.stringify(found)).to.include({ of: 'entry', available });
      expect(found.newest).to.equal(`npx://@acme/notes@${pinned}`);
    });
  }

  it('lists the grants of the update when the entry names another package', async () => {
    const entry = {
      name: 'example.acme/notes',
      description: 'Notes.',
      version: '2.0.0',
      packages: [
        { registryType: 'npm', identifier: '@evil/notes', version: '2.0.0', transport: { type: 'stdio' } },
      ],
    };
    const file = path.join(folder, 'catalogue.json');
    await writeFile(file, JSON.stringify({ version: '1.0.0', data: { servers: [entry] } }));
    const runs = { run_target: 'npx://@acme/notes@1.0.0', image: 'portolanlocal/npx:1' };
    const { context } = await contextWith({ ...runs, registry_server_name: 'example.acme/notes' });
    const user = { ...context.user, localRegistryPath: file };
    const { asks, available } = await findUpdate('notes', { ...context, user }, signal);
    expect([available, asks.refusals]).to.deep.equal([true, []]);
    expect(asks.grants.map(({ line }) => line)).to.deep.equal([
      'runs npx://@evil/notes@2.0.0 in place of portolanlocal/npx:1, with all settings of the workload notes',
    ]);
  });

  it('reports the error of a failing index', async () => {
    const { context } = await contextWith({ run_target: 'npx://@acme/notes@1.0.0' });
    const failed: unknown = await findUpdate('notes', context, signal).catch((error: unknown) => error);
    expect(String(failed)).to.contain('no index');
  });

  for (const [title, config] of [
    ['a remote server', { remote_url: 'https://mcp.acme.example/mcp' }],
    ['an image of this engine alone', { image: 'notes:1' }],
    ['an image that is named by its digest', { image: `notes@sha256:${'0'.repeat(64)}` }],
  ] as const) {
    it(`keeps ${title} without a request`, async () => {
      const { context } = await contextWith(config);
      expect(await findUpdate('notes', context, signal)).to.include({ available: false, next: undefined });
    });
  }

  it('finds another image under the same tag without a pull', async () => {
    const registry = await OciRegistry.start();
    try {
      const first = registry.pushManifest({ manifests: [] }, { tag: '1', mediaType: INDEX });
      const image = `${registry.host}/${registry.repository}:1`;
      const digest = `${registry.host}/${registry.repository}@${first.digest}`;
      const { context } = await contextWith({ image, run_target: image }, { digest });
      expect(await findUpdate('notes', context, signal)).to.include({ of: 'image', available: false });
      const second = registry.pushManifest(
        { manifests: [], annotations: { a: 'b' } },
        { tag: '1', mediaType: INDEX },
      );
      const found = await findUpdate('notes', context, signal);
      expect(found).to.include({
        available: true,
        current: `${image}@${first.digest}`,
        newest: `${image}@${second.digest}`,
      });
      expect(found.next?.digest).to.equal(`${registry.host}/${registry.repository}@${second.digest}`);
      expect(found.next?.config).to.include({ image, run_target: image });
      expect(registry.requests.filter((request) => !/^HEAD |\/tags\/list$/.test(request))).to.deep.equal([]);
    } finally {
      await registry.close();
    }
  });

  it('finds a newer tag of the same variant for an image with a digest', async () => {
    const registry = await OciRegistry.start({ login: 'public', tagsOfAPage: 2 });
    try {
      const name = `${registry.host}/${registry.repository}`;
      const [first, , newest] = ['1.9-slim', '1.10', '1.10-slim', '1.11-rc.1-slim', 'latest'].map((tag) =>
        registry.pushManifest({ manifests: [], annotations: { tag } }, { tag, mediaType: INDEX }),
      );
      const config = { image: `${name}:1.9-slim`, run_target: `${name}:1.9-slim` };
      const { context } = await contextWith(config, { digest: `${name}@${first?.digest}` });
      const found = await findUpdate('notes', context, signal);
      expect(found).to.include({
        of: 'image',
        available: true,
        current: `${name}:1.9-slim@${first?.digest}`,
        newest: `${name}:1.10-slim@${newest?.digest}`,
      });
      expect(found.next).to.include({ digest: `${name}@${newest?.digest}` });
      expect(found.next?.config).to.include({ image: `${name}:1.10-slim`, run_target: `${name}:1.10-slim` });
    } finally {
      await registry.close();
    }
  });

  it('reports a registry that lists no tags', async () => {
    const registry = await OciRegistry.start({ tagsOfAPage: 0 });
    try {
      const image = `${registry.host}/${registry.repository}:1`;
      const digest = `${registry.host}/${registry.repository}@${registry.pushImage('1')}`;
      registry.pushImage('2');
      const { context } = await contextWith({ image, run_target: image }, { digest });
      const found = await findUpdate('notes', context, signal);
      expect(found).to.include({ available: false, current: `${image}@${digest.split('@')[1]}` });
      expect(found.notes.join()).to.contain('does not list tags');
    } finally {
      await registry.close();
    }
  });

  it('throws ERR_WORKLOAD_UNKNOWN for an unknown workload', async () => {
    const failed: unknown = await findUpdate('nobody', testWorkloadContext(folder), signal).catch(
      (error: unknown) => error,
    );
    expect(isPortolanError(failed) && failed.code).to.equal('ERR_WORKLOAD_UNKNOWN');
  });
});

describe('isOlderVersion', () => {
  const cases: readonly (readonly [version: string, than: string, expected: boolean])[] = [
    ['1.0.0', '1.0.1', true],
    ['1.0.1', '1.0.0', false],
    ['1.9', '1.10', true],
    ['v1.2.3', 'v1.2.4', true],
    ['2', '1.9.9', false],
    ['1.0', '1.0.0', false],
    ['latest', '1.0.0', false],
    ['1.0.0', '1.0.0-rc.1', false],
  ];
  for (const [version, than, expected] of cases) {
    it(`${version} ${expected ? 'is' : 'is not'} older than ${than}`, () => {
      expect(isOlderVersion(version, than)).to.equal(expected);
    });
  }
});

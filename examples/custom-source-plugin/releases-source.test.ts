import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootTestKernel, createTestContext, readContext, sourceContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin, { releasesSource } from './releases-source.ts';

describe('the releases source', () => {
  let folder: string;
  let count: number;

  beforeEach(async () => {
    count = 0;
    folder = await mkdtemp(join(tmpdir(), 'releases-'));
    await writeNote('tides-0.3.0.json', {
      product: 'tides',
      version: '0.3.0',
      summary: 'Tides',
      image: 'tides:0.3.0',
    });
    await writeFile(join(folder, 'half-written.json'), '{"product": "ti');
    await writeFile(join(folder, 'README.md'), 'Not a release note.');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function writeNote(file: string, note: object): Promise<void> {
    await writeFile(join(folder, file), JSON.stringify(note));
  }

  sourceContract({
    name: 'releases',
    kind: releasesSource,
    create: (context) => releasesSource.create({ folder, namespace: 'dev.acme' }, context),
    entries: [
      {
        type: 'server',
        document: {
          $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
          name: 'dev.acme/tides',
          description: 'Tides',
          version: '0.3.0',
          packages: [{ registryType: 'oci', identifier: 'tides:0.3.0', transport: { type: 'stdio' } }],
        },
        scope: 'tides-0.3.0.json',
      },
      {
        skipped: 'half-written.json',
        because: 'The note is no JSON object with product and image.',
        scope: 'half-written.json',
      },
    ],
    change: () => {
      count += 1;
      return writeNote(`tides-1.${count}.0.json`, {
        product: 'tides',
        version: `1.${count}.0`,
        image: 'tides',
      });
    },
    remove: () => rm(join(folder, 'tides-0.3.0.json')),
    spoilScope: async () => {
      await writeFile(join(folder, 'tides-0.3.0.json'), '{"product": "ti');
      return 'tides-0.3.0.json';
    },
    spoil: () => rm(folder, { recursive: true }),
  });

  it('yields only the files that changed since a cursor, and the names of all existing files', async () => {
    await writeNote('winds-1.0.0.json', { product: 'winds', version: '1.0.0', image: 'winds' });
    const source = await releasesSource.create({ folder, namespace: 'dev.acme' }, createTestContext());
    const { signal } = new AbortController();
    let cursor = '';
    for await (const item of source.readEntries(signal, readContext()))
      if ('cursor' in item) ({ cursor } = item);
    await writeNote('winds-1.0.0.json', { product: 'winds', version: '1.0.1', image: 'winds' });
    await rm(join(folder, 'tides-0.3.0.json'));
    const messages: unknown[] = [];
    for await (const item of source.readChanges?.(cursor, signal, readContext()) ?? []) messages.push(item);
    expect(messages.slice(0, -1)).to.deep.include({ completeScopes: ['winds-1.0.0.json'] });
    expect(messages.filter((item) => 'document' in Object(item))).to.have.lengthOf(1);
    expect(messages.at(-2)).to.deep.equal({
      completeScopes: [],
      allScopes: ['half-written.json', 'winds-1.0.0.json'],
    });
  });

  const unusable = ['null', '[]', '"weather"', '42', '{"product": 1, "image": "x"}', '{"product": "x"}'];
  for (const text of unusable) {
    it(`skips a note that is ${text}`, async () => {
      await writeFile(join(folder, 'odd.json'), text);
      const source = await releasesSource.create({ folder, namespace: 'dev.acme' }, createTestContext());
      const skipped: string[] = [];
      for await (const item of source.readEntries(new AbortController().signal, readContext())) {
        if ('skipped' in item) skipped.push(item.skipped);
      }
      expect(skipped).to.deep.equal(['half-written.json', 'odd.json']);
    });
  }

  it('is created from its configuration block', async () => {
    const kernel = await bootTestKernel({
      plugins: [plugin],
      directory: folder,
      config: {
        sources: [
          { name: 'ours', releases: { folder: '.', namespace: 'dev.acme' }, syncPolicy: { interval: '1h' } },
        ],
        registries: [{ name: 'main', sources: ['ours'] }],
      },
    });
    try {
      const items: unknown[] = [];
      const source = kernel.sources.get('ours')?.instance;
      for await (const item of source?.readEntries(new AbortController().signal, readContext()) ?? [])
        if ('document' in item || 'skipped' in item) items.push(item);
      expect(items).to.have.lengthOf(2);
    } finally {
      await kernel.close();
    }
  });
});

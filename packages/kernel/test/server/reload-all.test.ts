import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { Kernel, NextRegistries } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { bootOptions, errorOf, Folders } from '../support/test-context.ts';

/** A source kind `told` that tells what happens to its instances. */
function toldPlugin(calls: string[]): Plugin {
  const kind = {
    kind: 'told',
    claimsFrom: 'source',
    config: { type: 'object', properties: { text: { type: 'string', default: 'a' } } },
    create: ({ text }: { text: string }) => {
      if (text === 'broken') throw new Error('it cannot be told.');
      calls.push(`create ${text}`);
      return {
        async *readEntries() {
          // The source has no entries.
        },
        close: async () => void calls.push(`close ${text}`),
      };
    },
  } as NonNullable<NonNullable<Plugin['contributes']>['sources']>[number]; // a block of this literal
  return { name: 'told', apiVersion: 2, contributes: { sources: [kind] } };
}

const source = (name: string, text: string, more = ''): string =>
  `  - { name: ${name}, told: { text: ${text} }, syncPolicy: { interval: 5m }${more} }\n`;
const config = (sources: string, registry = '[one]', auth = 'mode: open'): string =>
  `auth: { ${auth} }\nsources:\n${sources}registries: [{ name: main, sources: ${registry} }]\n`;

describe('Kernel.reload', () => {
  const folders = new Folders();
  let calls: string[];
  let file: string;
  let kernel: Kernel;
  let stored: NextRegistries[];
  beforeEach(async () => {
    calls = [];
    stored = [];
    const folder = await folders.create({
      'portolan.config.yaml': config(source('one', 'a') + source('two', 'b')),
    });
    file = join(folder, 'portolan.config.yaml');
    const pluginObjects = [{ plugin: toldPlugin(calls) }];
    kernel = await bootKernel(bootOptions({ searchFrom: folder, pluginObjects }));
    calls.length = 0;
  });
  afterEach(async () => {
    await kernel.close();
    await folders.removeAll();
  });
  const keep = async (next: NextRegistries): Promise<void> => {
    stored.push(next);
  };
  const reload = async (text: string): ReturnType<Kernel['reload']> => {
    await writeFile(file, text);
    return await kernel.reload(keep);
  };

  it('returns sources and registries, and creates only changed sources', async () => {
    const before = kernel.sources;
    const changed = config(
      source('one', 'a', ', claims: { org: acme }') + source('two', 'c') + source('three', 'd'),
      '[one, three]',
    );
    const { isAuthChanged, ignored } = await reload(changed);
    expect({ isAuthChanged, ignored }).to.deep.equal({ isAuthChanged: false, ignored: [] });
    expect([...kernel.sources.keys()]).to.deep.equal(['one', 'two', 'three']);
    expect(kernel.sources.get('one')).to.equal(before.get('one'));
    expect(stored[0]?.sources).to.equal(kernel.sources);
    expect(stored[0]?.config.registries[0]?.sources).to.deep.equal(['one', 'three']);
    expect(stored[0]?.config.sources[0]?.claims).to.deep.equal({ org: 'acme' });
    expect(calls).to.deep.equal(['create c', 'create d', 'close b']);
    await kernel.close();
    expect(calls.slice(3).toSorted()).to.deep.equal(['close a', 'close c', 'close d']);
  });

  it('closes removed sources, and compares with the last applied configuration', async () => {
    await reload(config(source('one', 'a')));
    expect(calls).to.deep.equal(['close b']);
    await reload(config(source('one', 'a') + source('two', 'b')));
    expect(calls).to.deep.equal(['close b', 'create b']);
    await reload(config(source('one', 'a') + source('two', 'b')));
    expect(calls).to.have.length(2);
  });

  it('replaces auth only when it changed', async () => {
    const { auth } = kernel;
    await reload(config(source('one', 'a')));
    expect(kernel.auth).to.equal(auth);
    const { isAuthChanged } = await reload(
      config(source('one', 'a'), '[one]', 'mode: open, authz: { roles: { superAdmin: [{ org: acme }] } }'),
    );
    expect(isAuthChanged).to.equal(true);
    expect(kernel.auth.config.authz?.roles.superAdmin).to.deep.equal([{ org: 'acme' }]);
  });

  const faults: readonly { title: string; text: string; code: string; calls?: readonly string[] }[] = [
    { title: 'is not YAML', text: 'auth: {', code: 'ERR_CONFIG_SYNTAX' },
    {
      title: 'names an unknown source',
      text: config(source('one', 'z'), '[four]'),
      code: 'ERR_CONFIG_INVALID',
    },
    {
      title: 'has a source that cannot be opened',
      text: config(source('one', 'z') + source('two', 'broken')),
      code: 'ERR_PLUGIN_CREATE',
      calls: ['create z', 'close z'],
    },
    {
      title: 'has other plugins',
      text: `plugins: [./x.js]\n${config(source('one', 'z'))}`,
      code: 'ERR_PLUGIN_NOT_FOUND',
    },
  ];
  for (const { title, text, code, calls: expected = [] } of faults) {
    it(`changes nothing for a configuration that ${title}`, async () => {
      const { sources, auth } = kernel;
      const error = await errorOf(() => reload(text));
      expect(error.code).to.equal(code);
      expect(kernel.sources).to.equal(sources);
      expect(kernel.auth).to.equal(auth);
      expect(stored).to.deep.equal([]);
      expect(calls).to.deep.equal(expected);
      await reload(config(source('one', 'a') + source('two', 'y')));
      expect(kernel.sources).not.to.equal(sources);
    });
  }

  it('changes nothing when the store fails', async () => {
    const { sources, auth } = kernel;
    await writeFile(file, config(source('one', 'z'), '[one]', 'mode: open, authz: {}'));
    const error = await errorOf(() => kernel.reload(() => Promise.reject(new Error('the database is away'))));
    expect(error.message).to.equal('the database is away');
    expect(kernel.sources).to.equal(sources);
    expect(kernel.auth).to.equal(auth);
    expect(calls).to.deep.equal(['create z', 'close z']);
  });
});
